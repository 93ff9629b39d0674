; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Around quotients of complex numbers flang saves the stack and restores it, with nothing allocated between: that is no reason
; to leave a nest. Where something is allocated, it is.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=tessera -pass-remarks-analysis=tessera -pass-remarks-missed=tessera \
; RUN:   -disable-output %s 2>&1 | %FileCheck %s

; CHECK: loop nest modelled: {{.*}}depth 1
; CHECK: call of a function that may do anything

declare { double, double } @__divdc3(double, double, double, double)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define void @saved(i64 %n, ptr noalias %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %re = getelementptr inbounds { double, double }, ptr %a, i64 %i, i32 0
  %im = getelementptr inbounds { double, double }, ptr %a, i64 %i, i32 1
  %x = load double, ptr %re, align 8
  %y = load double, ptr %im, align 8
  %q = call { double, double } @__divdc3(double 1.0, double 0.0, double %x, double %y)
  %stack = call ptr @llvm.stacksave.p0()
  %u = extractvalue { double, double } %q, 0
  %v = extractvalue { double, double } %q, 1
  call void @llvm.stackrestore.p0(ptr %stack)
  store double %u, ptr %re, align 8
  store double %v, ptr %im, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @allocated(i64 %n, ptr noalias %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %re = getelementptr inbounds double, ptr %a, i64 %i
  %stack = call ptr @llvm.stacksave.p0()
  %room = alloca i8, i64 %n, align 8
  store i8 1, ptr %room, align 1
  call void @llvm.stackrestore.p0(ptr %stack)
  store double 1.0, ptr %re, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
