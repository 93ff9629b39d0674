; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A call that may unwind or not return keeps its place among the stores, although it touches no memory.
;
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s
; RUN: sed -e 's/"ATTRIBUTES"/nounwind willreturn/' %s | %tessera-opt -passes='tessera<force>' \
; RUN:   | %FileCheck %s --check-prefix=GOOD

; CHECK-NOT: tsr.new
; GOOD: tsr.new

define void @f(ptr noalias %a) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 1.0, ptr %p
  %x = call double @value(i64 %i) #0
  %q = getelementptr inbounds double, ptr %p, i64 1000
  store double %x, ptr %q
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 1000
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

declare double @value(i64)
attributes #0 = { memory(none) "ATTRIBUTES" }
