; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A call that may throw is rejected.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedInvoke
; CHECK: Expression: {{.*}}invoke

define void @f(ptr noalias %a, i64 %n) personality ptr @__gxx_personality_v0 {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  invoke void @g(ptr %p) to label %latch unwind label %pad

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void

pad:
  %v = landingpad { ptr, i32 } catch ptr null
  br label %exit
}

declare void @g(ptr)
declare i32 @__gxx_personality_v0(...)
