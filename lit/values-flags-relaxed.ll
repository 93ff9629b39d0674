; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A relaxed update sees other partial results than the original's: what is promised about them goes, what is promised about
; the rest stays. In program order all promises hold.
;
; RUN: %tessera-opt -passes='tessera<force;relax-reductions>' %s | %FileCheck %s --check-prefixes=CHECK,RELAXED
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s --check-prefixes=CHECK,STRICT

; CHECK-LABEL: define void @integers(
; CHECK: tsr.loop:
; CHECK: [[E:%.*]] = mul nsw i32 %{{.*}}, 3
; RELAXED: load i32, ptr %{{[^!]*}}
; RELAXED-NOT: !range
; RELAXED: add i32
; STRICT: load i32, ptr %{{.*}}!range
; STRICT: add nuw nsw i32
define void @integers(ptr noalias %a, ptr noalias %s) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %loop

loop:
  %j = phi i64 [ 0, %outer ], [ %j.next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %j
  %x = load i32, ptr %p
  %y = mul nsw i32 %x, 3
  %ij = add nuw nsw i64 %i, %j
  %q = getelementptr inbounds i32, ptr %s, i64 %ij
  %old = load i32, ptr %q, !range !0
  %new = add nuw nsw i32 %old, %y
  store i32 %new, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp slt i64 %j.next, 100
  br i1 %again, label %loop, label %latch

latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, 100
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

; CHECK-LABEL: define void @reals(
; CHECK: tsr.loop:
; CHECK: fmul fast double %{{.*}}, 3.0
; RELAXED: fadd reassoc nsz arcp contract afn double
; STRICT: fadd fast double
define void @reals(ptr noalias %a, ptr noalias %s) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %loop

loop:
  %j = phi i64 [ 0, %outer ], [ %j.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %j
  %x = load double, ptr %p
  %y = fmul fast double %x, 3.0
  %ij = add nuw nsw i64 %i, %j
  %q = getelementptr inbounds double, ptr %s, i64 %ij
  %old = load double, ptr %q
  %new = fadd fast double %old, %y
  store double %new, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp slt i64 %j.next, 100
  br i1 %again, label %loop, label %latch

latch:
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, 100
  br i1 %more, label %outer, label %exit

exit:
  ret void
}

!0 = !{i32 0, i32 1000000}
