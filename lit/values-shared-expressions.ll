; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Value numbering leaves phis of one expression, or of what it is where a factor is 0, and jump threading asks twice: undone
; where the phi would be as defined.
;
; RUN: %tessera-opt -passes='tessera<force>' %s -S -o %t.ll -pass-remarks-output=%t && %FileCheck %s < %t

; CHECK:      Name: {{ *}}Modelled
; CHECK-NEXT: Function: {{ *}}twice
; CHECK:      Depth: {{ *}}'2'
define void @twice(ptr noalias %a, ptr noalias %b, i64 noundef %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %exit

outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  br label %loop

loop:
  %j = phi i64 [ 0, %outer ], [ %j1, %join ]
  %from = getelementptr inbounds double, ptr %b, i64 %j
  %v = load double, ptr %from
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %minus, label %plus

minus:
  %w = fneg double %v
  %m0 = mul nuw nsw i64 %i, 40
  %at0 = add nuw i64 %m0, %j
  br label %join

plus:
  %m1 = mul nsw i64 %i, 40
  %at1 = add nuw nsw i64 %m1, %j
  br label %join

join:
  %at = phi i64 [ %at0, %minus ], [ %at1, %plus ]
  %x = phi double [ %w, %minus ], [ 1.0, %plus ]
  %to = getelementptr inbounds double, ptr %a, i64 %at
  store double %x, ptr %to
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %loop, label %next

next:
  %i1 = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %outer, label %exit

exit:
  ret void
}

; CHECK:      Name: {{ *}}Modelled
; CHECK-NEXT: Function: {{ *}}zero
; CHECK:      Depth: {{ *}}'1'
define void @zero(ptr %a, ptr %b, i64 noundef %n, i32 noundef %stride) {
entry:
  %wide = sext i32 %stride to i64
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %exit

loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %join ]
  %first = icmp eq i64 %i, 0
  br i1 %first, label %join, label %other

other:
  %m = mul nuw nsw i64 %i, %wide
  %count = getelementptr inbounds i64, ptr %b, i64 %i
  store i64 %i, ptr %count
  br label %join

join:
  %at = phi i64 [ 0, %loop ], [ %m, %other ]
  %to = getelementptr inbounds double, ptr %a, i64 %at
  store double 1.0, ptr %to
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; The stride may be poison, which the first iteration doesn't use.
; CHECK:      Name: {{ *}}RejectedSubscript
; CHECK:      Function: {{ *}}poison
define void @poison(ptr %a, ptr %b, i64 noundef %n, i32 %stride) {
entry:
  %wide = sext i32 %stride to i64
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %exit

loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %join ]
  %first = icmp eq i64 %i, 0
  br i1 %first, label %join, label %other

other:
  %m = mul nuw nsw i64 %i, %wide
  %count = getelementptr inbounds i64, ptr %b, i64 %i
  store i64 %i, ptr %count
  br label %join

join:
  %at = phi i64 [ 0, %loop ], [ %m, %other ]
  %to = getelementptr inbounds double, ptr %a, i64 %at
  store double 1.0, ptr %to
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK:      Name: {{ *}}Modelled
; CHECK-NEXT: Function: {{ *}}questions
; CHECK:      Depth: {{ *}}'2'
define void @questions(ptr noalias %a, i64 noundef %n, i1 noundef %p, i1 noundef %q) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %exit

outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %row = mul nuw nsw i64 %i, 100
  br i1 %p, label %ask, label %first

first:
  %j = phi i64 [ 0, %outer ], [ %j1, %first ]
  %at0 = add nuw nsw i64 %row, %j
  %to0 = getelementptr inbounds double, ptr %a, i64 %at0
  store double 1.0, ptr %to0
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %first, label %askagain

ask:
  br i1 %q, label %next, label %second

askagain:
  br i1 %q, label %next, label %second

second:
  %k = phi i64 [ 0, %ask ], [ 0, %askagain ], [ %k1, %second ]
  %at1 = add nuw nsw i64 %row, %k
  %to1 = getelementptr inbounds double, ptr %a, i64 %at1
  %old = load double, ptr %to1
  %new = fadd double %old, 2.0
  store double %new, ptr %to1
  %k1 = add nuw nsw i64 %k, 1
  %moreyet = icmp slt i64 %k1, %n
  br i1 %moreyet, label %second, label %next

next:
  %i1 = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %i1, %n
  br i1 %again, label %outer, label %exit

exit:
  ret void
}
