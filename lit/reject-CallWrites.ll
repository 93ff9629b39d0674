; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A call that writes through its arguments alone is rejected with a reason of its own.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedCallWrites
; CHECK: Expression: {{.*}}through

declare void @through(ptr) memory(argmem: readwrite) nounwind willreturn

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %at
  call void @through(ptr %at)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
