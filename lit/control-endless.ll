; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A loop that may run for ever, and need not make progress, is not moved past stores: it is no part of a model.
;
; RUN: %tessera-opt -passes='tessera<force>' -pass-remarks-missed=tessera %s 2>&1 | %FileCheck %s

; CHECK: remark: {{.*}}the number of iterations can't be computed
; CHECK-NOT: tsr.new

define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %next.i, %latch ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %p
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %next.j, %inner ]
  %next.j = add i64 %j, 2
  %done = icmp eq i64 %next.j, %n
  br i1 %done, label %latch, label %inner

latch:
  %q = getelementptr inbounds double, ptr %p, i64 1000
  store double 2.0, ptr %q
  %next.i = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next.i, 100
  br i1 %again, label %outer, label %exit

exit:
  ret void
}
