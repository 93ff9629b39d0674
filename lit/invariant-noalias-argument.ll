; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Fortran passes bounds by reference, in arguments that are noalias and not captured. One that has been loaded through before
; can be loaded from in front of a nest, whatever was called meanwhile: nobody else may change such memory, or free it. Not if
; somebody has the pointer, or may have it.
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O2>' -tessera-force -tessera-only=_ -pass-remarks=tessera \
; RUN:   -pass-remarks-missed=tessera -pass-remarks-analysis=tessera -S %s -o /dev/null 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O2>' -tessera-force -tessera-only=_ -S %s -o - | %FileCheck %s --check-prefix=IR

; CHECK-COUNT-2: loop nest transformed

; What M is, is known for sure: nothing is asked before.
; IR-LABEL: define void @known_argument
; IR:       call void @other()
; IR-NOT:   icmp sgt
; IR:       icmp {{.*}} i32 %tsr.lifted, 101
; Here it is loaded if there is an iteration of the outer loop.
; IR-LABEL: define void @passed_on_argument
; IR:       call void @takes(
; IR:       icmp sgt i32
; IR:       load i32, ptr %m

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @other()
declare void @takes(ptr)

define void @known_argument(ptr noalias captures(none) %m, ptr noalias captures(none) %n, ptr noalias captures(none) %a, ptr noalias captures(none) %b) {
entry:
  %m0 = load i32, ptr %m, align 4
  %bad = icmp slt i32 %m0, 0
  br i1 %bad, label %out, label %start

start:
  call void @other()
  %n0 = load i32, ptr %n, align 4
  %any = icmp sgt i32 %n0, 0
  br i1 %any, label %outer, label %out

outer:
  %j = phi i32 [ 0, %start ], [ %j.next, %outer.end ]
  %jl = zext i32 %j to i64
  %row = mul nsw i64 %jl, 100
  %m1 = load i32, ptr %m, align 4
  %some = icmp sgt i32 %m1, 0
  br i1 %some, label %inner, label %outer.end

inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %inner ]
  %il = zext i32 %i to i64
  %at = add nsw i64 %row, %il
  %ap = getelementptr inbounds double, ptr %a, i64 %at
  %bp = getelementptr inbounds double, ptr %b, i64 %at
  %av = load double, ptr %ap, align 8
  store double %av, ptr %bp, align 8
  %i.next = add nsw i32 %i, 1
  %m2 = load i32, ptr %m, align 4
  %more = icmp slt i32 %i.next, %m2
  br i1 %more, label %inner, label %outer.end

outer.end:
  %j.next = add nsw i32 %j, 1
  %n1 = load i32, ptr %n, align 4
  %again = icmp slt i32 %j.next, %n1
  br i1 %again, label %outer, label %out

out:
  ret void
}

define void @passed_on_argument(ptr noalias %m, ptr noalias captures(none) %n, ptr noalias captures(none) %a, ptr noalias captures(none) %b) {
entry:
  %m0 = load i32, ptr %m, align 4
  %bad = icmp slt i32 %m0, 0
  br i1 %bad, label %out, label %start

start:
  call void @takes(ptr %m)
  %n0 = load i32, ptr %n, align 4
  %any = icmp sgt i32 %n0, 0
  br i1 %any, label %outer, label %out

outer:
  %j = phi i32 [ 0, %start ], [ %j.next, %outer.end ]
  %jl = zext i32 %j to i64
  %row = mul nsw i64 %jl, 100
  %m1 = load i32, ptr %m, align 4
  %some = icmp sgt i32 %m1, 0
  br i1 %some, label %inner, label %outer.end

inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %inner ]
  %il = zext i32 %i to i64
  %at = add nsw i64 %row, %il
  %ap = getelementptr inbounds double, ptr %a, i64 %at
  %bp = getelementptr inbounds double, ptr %b, i64 %at
  %av = load double, ptr %ap, align 8
  store double %av, ptr %bp, align 8
  %i.next = add nsw i32 %i, 1
  %m2 = load i32, ptr %m, align 4
  %more = icmp slt i32 %i.next, %m2
  br i1 %more, label %inner, label %outer.end

outer.end:
  %j.next = add nsw i32 %j, 1
  %n1 = load i32, ptr %n, align 4
  %again = icmp slt i32 %j.next, %n1
  br i1 %again, label %outer, label %out

out:
  ret void
}
