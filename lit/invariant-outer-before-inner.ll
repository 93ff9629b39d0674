; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A nest is planned inside loops whose control flow is no tree; what is invariant in those must be found before, as it
; changes what the plan reads.
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O1>' -tessera-force -tessera-only=outer -pass-remarks=tessera \
; RUN:   -pass-remarks-missed=tessera -S %s -o /dev/null 2>&1 | %FileCheck %s --implicit-check-not=broken
; CHECK: loop nest transformed

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@n = external global i32

define i32 @outer(i1 %0) {
  br label %2

2:                                                ; preds = %7, %1
  br label %3

3:                                                ; preds = %5, %2
  %4 = phi i1 [ true, %2 ], [ false, %5 ]
  br i1 %0, label %5, label %7

5:                                                ; preds = %3
  %6 = call i32 @inner()
  br label %3

7:                                                ; preds = %3
  store i32 0, ptr @n, align 4
  br label %2
}

define i32 @inner() {
  %1 = alloca i32, align 4
  store ptr %1, ptr inttoptr (i64 24 to ptr), align 8
  %2 = load i32, ptr null, align 4
  %3 = trunc i32 %2 to i8
  %4 = load i32, ptr @n, align 4
  %5 = trunc i32 %4 to i8
  %6 = call i8 @modulo(i8 %3, i8 %5)
  %7 = load i64, ptr null, align 8
  %8 = icmp ne i64 %7, 0
  %9 = trunc i64 %7 to i32
  br i1 %8, label %10, label %16

10:                                               ; preds = %12, %0
  %.0 = phi i32 [ %15, %12 ], [ 0, %0 ]
  %11 = icmp sge i32 %.0, 1
  br i1 %11, label %12, label %17

12:                                               ; preds = %10
  %13 = load i32, ptr @n, align 4
  store i32 %13, ptr %1, align 4
  %14 = trunc i32 %.0 to i16
  %15 = sext i16 %14 to i32
  br label %10

16:                                               ; preds = %0
  %cond1 = icmp eq i32 %9, 0
  br i1 %cond1, label %17, label %common.ret

common.ret:                                       ; preds = %17, %16
  ret i32 0

17:                                               ; preds = %16, %10
  %18 = load volatile i16, ptr null, align 2
  br label %common.ret
}

define i8 @modulo(i8 %0, i8 %1) {
  %3 = zext i8 %1 to i32
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %8, label %5

5:                                                ; preds = %2
  %6 = zext i8 %0 to i32
  %7 = srem i32 %6, %3
  br label %8

8:                                                ; preds = %5, %2
  %9 = phi i32 [ %7, %5 ], [ 0, %2 ]
  %10 = trunc i32 %9 to i8
  ret i8 %10
}
