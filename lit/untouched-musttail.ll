; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A function that must end in a tail call stays as it is, and a remark says so; with an ordinary call it is transformed.
;
; RUN: %tessera-opt -passes='tessera<force>' -pass-remarks-missed=tessera %s 2>&1 | %FileCheck %s
; RUN: sed -e 's/musttail/tail/' %s | %tessera-opt -passes='tessera<force>' | %FileCheck %s --check-prefix=WITHOUT

; CHECK: remark: {{.*}}must end in a tail call: next; suggestion: move the loop
; CHECK-NOT: remark:
; CHECK: define void @f(
; CHECK-NOT: tsr.
; WITHOUT: tsr.new

define void @f(ptr %a) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 1000
  br i1 %again, label %loop, label %exit

exit:
  musttail call void @next(ptr %a)
  ret void
}

declare void @next(ptr)
