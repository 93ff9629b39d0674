; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A parameter that may be undef or poison, because the original does not use it unless the nest runs, is frozen before it
; decides between the original and our code.
;
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s

; CHECK: define void @f(
; CHECK-DAG: freeze i64 %m
; CHECK-DAG: freeze ptr %a
; CHECK-DAG: freeze ptr %b
; CHECK: br i1 {{.*}}label %tsr.new

define void @f(ptr %a, ptr %b, i64 noundef %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %exit

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = add i64 %i, %m
  %p = getelementptr double, ptr %a, i64 %k
  %q = getelementptr double, ptr %b, i64 %i
  %x = load double, ptr %q
  store double %x, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
