; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A volatile memset is rejected.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedVolatile
; CHECK: Expression: {{.*}}llvm.memset

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 true)
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
