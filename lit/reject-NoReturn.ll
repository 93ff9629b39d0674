; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A call that may not return is rejected, although it touches no memory.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedNoReturn
; CHECK: Expression: value

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = call double @value(i64 %i) #0
  store double %x, ptr %p
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

declare double @value(i64)
attributes #0 = { nounwind memory(none) }
