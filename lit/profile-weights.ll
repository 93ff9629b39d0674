; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The original keeps its profile. The new check is likely. In new code a select keeps its ratio; counts of calls, loops and
; of the outlined function are dropped: they would be counted twice.
;
; RUN: %tessera-opt -passes='tessera<force;parallel>,verify' %s | %FileCheck %s

; CHECK: define void @f({{.*}} !prof [[ENTRY:![0-9]+]]
; CHECK: br i1 {{.*}}, label %tsr.new, label {{.*}}, !prof [[CHECK:![0-9]+]]
; CHECK: loop:
; CHECK: select i1 {{.*}} !prof [[SELECT:![0-9]+]]
; CHECK: call double @value({{.*}} !prof [[CALL:![0-9]+]]
; CHECK: br i1 %again, {{.*}} !prof [[LOOP:![0-9]+]]
; CHECK: br i1 %again.j, {{.*}} !prof [[LOOP]]
; CHECK: tsr.new:
; CHECK: tsr.sequential:
; CHECK: select i1 {{.*}} !prof [[SELECT]]
; CHECK-NOT: !prof
; CHECK: define internal void @f.tsr.team(ptr {{[^!]+$}}
; CHECK: select i1 {{.*}} !prof [[SELECT]]
; CHECK: call double @value(
; CHECK-NOT: !prof
; CHECK: [[ENTRY]] = !{!"function_entry_count", i64 100}
; CHECK: [[CHECK]] = !{!"branch_weights", i32 127, i32 1}
; CHECK: [[SELECT]] = !{!"branch_weights", i32 30, i32 70}
; CHECK: [[CALL]] = !{!"branch_weights", i32 100000}
; CHECK: [[LOOP]] = !{!"branch_weights", i32 99900, i32 100}

define void @f(ptr %a, ptr %b) !prof !0 {
entry:
  br label %outer

outer:
  %j = phi i64 [ 0, %entry ], [ %next.j, %latch ]
  br label %loop

loop:
  %i = phi i64 [ 0, %outer ], [ %next, %loop ]
  %p = getelementptr inbounds [900 x double], ptr %a, i64 %j, i64 %i
  %q = getelementptr inbounds [900 x double], ptr %b, i64 %j, i64 %i
  %x = load double, ptr %q
  %less = fcmp olt double %x, 1.0
  %y = select i1 %less, double %x, double 2.0, !prof !1
  %z = call double @value(double %y) nounwind willreturn memory(none), !prof !2
  store double %z, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 900
  br i1 %again, label %loop, label %latch, !prof !3

latch:
  %next.j = add nuw nsw i64 %j, 1
  %again.j = icmp slt i64 %next.j, 700
  br i1 %again.j, label %outer, label %exit, !prof !3

exit:
  ret void
}

declare double @value(double)

!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 30, i32 70}
!2 = !{!"branch_weights", i32 100000}
!3 = !{!"branch_weights", i32 99900, i32 100}
