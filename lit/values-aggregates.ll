; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A structure of scalars that is loaded and stored as a whole is taken as its elements.
;
; RUN: %tessera-opt -passes='tessera<force>' %s -o - | %FileCheck %s

; CHECK: tsr.loop:
; CHECK-DAG: load i32
; CHECK-DAG: store i32
; CHECK: store i32
; CHECK: tsr.next

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load { i32, i32 }, ptr %p
  %q = getelementptr i8, ptr %p, i64 80000
  store { i32, i32 } %x, ptr %q
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
