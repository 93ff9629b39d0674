; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A constrained floating-point operation is rejected.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedStrictFP
; CHECK: Expression: {{.*}}constrained.fadd

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %p
  %y = call double @llvm.experimental.constrained.fadd.f64(double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict")
  store double %y, ptr %p
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
