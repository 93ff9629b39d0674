; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A copied instruction runs where the original ran: what its flags promise still holds, and nothing more is promised.
;
; RUN: %tessera-opt -passes='tessera<force>' %s | %FileCheck %s

; CHECK: tsr.loop:
; CHECK: [[P:%.*]] = getelementptr inbounds i32, ptr %a, i64
; CHECK: [[X:%.*]] = load i32, ptr [[P]], align 2, {{.*}}!tbaa
; CHECK: [[Y:%.*]] = add nsw i32 [[X]], 3
; CHECK: [[Z:%.*]] = sdiv exact i32 [[Y]], 2
; CHECK: [[U:%.*]] = mul i32 [[Z]], [[X]]
; CHECK: [[V:%.*]] = sitofp i32 [[U]] to float
; CHECK: [[W:%.*]] = fmul nnan ninf float [[V]], 2.000000e+00
; CHECK: [[Q:%.*]] = getelementptr float, ptr %b, i64
; CHECK: store float [[W]], ptr [[Q]], align 1

define void @f(ptr noalias %a, ptr noalias %b) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  %x = load i32, ptr %p, align 2, !tbaa !0
  %y = add nsw i32 %x, 3
  %z = sdiv exact i32 %y, 2
  %u = mul i32 %z, %x
  %v = sitofp i32 %u to float
  %w = fmul nnan ninf float %v, 2.0
  %q = getelementptr float, ptr %b, i64 %i
  store float %w, ptr %q, align 1
  %next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %next, 1000
  br i1 %again, label %loop, label %exit

exit:
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2}
!2 = !{!"root"}
