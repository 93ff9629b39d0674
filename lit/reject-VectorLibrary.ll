; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A call that the vectoriser would replace by a less exact one of a vector library is rejected, unless it may be inexact.
;
; RUN: %tessera-opt -vector-library=LIBMVEC -passes=tessera %s -o /dev/null -pass-remarks-output=%t && %FileCheck %s < %t
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s --check-prefix=NONE
; RUN: sed -e 's/call double/call afn double/' %s | %tessera-opt -vector-library=LIBMVEC -passes='tessera<force>' \
; RUN:   | %FileCheck %s --check-prefix=NONE

; CHECK: Name: {{ *}}RejectedVectorLibrary
; CHECK: Expression: {{.*}}llvm.sin.f64
; NONE: tsr.new

target triple = "x86_64-unknown-linux-gnu"

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %p
  %y = call double @llvm.sin.f64(double %x)
  store double %y, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

declare double @llvm.sin.f64(double)
