; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Asked for in a pipeline that sees less than a module, the pass says what to write.
;
; RUN: %not %tessera-opt -passes='function(tessera)' %s 2>&1 | %FileCheck %s -DWHERE=function
; RUN: %not %tessera-opt -passes='function(sroa,tessera<force>)' %s 2>&1 | %FileCheck %s -DWHERE=function
; RUN: %not %tessera-opt -passes='cgscc(tessera)' %s 2>&1 | %FileCheck %s -DWHERE=cgscc
; RUN: %not %tessera-opt -passes='function(loop(tessera))' %s 2>&1 | %FileCheck %s -DWHERE=loop
; RUN: %tessera-opt -passes='function(sroa),tessera<force>' %s -o /dev/null

; CHECK: tessera: this is a module pass; write -passes='[[WHERE]](...),tessera', not '[[WHERE]](...,tessera)'

define void @f() {
  ret void
}
