; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A bound that the original computes under a condition is computed before it without flags: it may overflow there.
;
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s

; CHECK: define void @f(
; CHECK: entry:
; CHECK: mul i32 %n, 3
; CHECK: xor i32
; CHECK: br i1 {{.*}}label %tsr.new

define void @f(ptr noalias %a, i32 %n, i32 %m) {
entry:
  %some = icmp sgt i32 %m, 0
  br i1 %some, label %outer, label %exit

outer:
  %i = phi i32 [ 0, %entry ], [ %next.i, %latch ]
  %go = icmp sgt i32 %m, %i
  br i1 %go, label %compute, label %latch

compute:
  %triple = mul nsw nuw i32 %n, 3
  %end = xor i32 %triple, 5
  %any = icmp sgt i32 %end, 0
  br i1 %any, label %inner, label %latch

inner:
  %j = phi i32 [ 0, %compute ], [ %next.j, %inner ]
  %at = sext i32 %j to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %at
  store i32 %i, ptr %p
  %next.j = add nuw nsw i32 %j, 1
  %again.j = icmp slt i32 %next.j, %end
  br i1 %again.j, label %inner, label %latch

latch:
  %next.i = add nuw nsw i32 %i, 1
  %again.i = icmp slt i32 %next.i, %m
  br i1 %again.i, label %outer, label %exit

exit:
  ret void
}
