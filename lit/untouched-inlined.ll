; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What is transformed, then inlined into a function that was not, is not transformed again: neither our loops nor the original
; beside them. Other loops of the caller are.
;
; RUN: %tessera-opt -passes='tessera<force;only=^f$>' -pass-remarks=tessera %s -o %t.once.ll 2>&1 | %FileCheck %s --check-prefix=ONCE
; RUN: sed -e 's/noinline/alwaysinline/' %t.once.ll > %t.inline.ll
; RUN: %tessera-opt -passes='always-inline,simplifycfg,loop-simplify,lcssa,tessera<force>' -pass-remarks=tessera \
; RUN:   -pass-remarks-missed=tessera %t.inline.ll -o %t.twice.ll 2>&1 | %count 1
; RUN: %FileCheck %s < %t.twice.ll

; ONCE: loop nest transformed
; ONCE-NOT: remark:
; CHECK: define void @g(
; CHECK-NOT: label %tsr.new,
; CHECK: label %tsr.new.i,
; CHECK-NOT: label %tsr.new
; CHECK: define void @h(
; CHECK: label %tsr.new.i,
; CHECK: label %tsr.new,
; CHECK-NOT: label %tsr.new

define void @f(ptr %a, ptr %b) noinline {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %q = getelementptr inbounds double, ptr %b, i64 %i
  %x = load double, ptr %q
  store double %x, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 1000
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

define void @g(ptr %a, ptr %b) {
entry:
  store double 1.0, ptr %a
  call void @f(ptr %a, ptr %b)
  store double 2.0, ptr %a
  ret void
}

define void @h(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %next, %outer ]
  call void @f(ptr %a, ptr %b)
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 100
  br i1 %again, label %outer, label %fill

fill:
  br label %loop

loop:
  %k = phi i64 [ 0, %fill ], [ %k.next, %loop ]
  %p = getelementptr inbounds double, ptr %b, i64 %k
  store double 3.0, ptr %p
  %k.next = add nuw nsw i64 %k, 1
  %go = icmp slt i64 %k.next, %n
  br i1 %go, label %loop, label %exit

exit:
  ret void
}
