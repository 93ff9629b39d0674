; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A value of an aggregate type is rejected.
;
; RUN: %tessera-opt -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK: Name: {{ *}}RejectedType
; CHECK: Expression: {{.*}}store { i32, [2 x i32] }

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load { i32, [2 x i32] }, ptr %p
  %q = getelementptr i8, ptr %p, i64 80000
  store { i32, [2 x i32] } %x, ptr %q
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
