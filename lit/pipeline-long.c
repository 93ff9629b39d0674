// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines of 23 and of 39 stages are one SCoP, and run tile by tile, within the budget: in arrays of the function's own, with
// sizes that are divided level by level.
//
// DEFINE: %{compile} = %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -tessera-machine=znver5 -mllvm -tessera-only=pipeline \
// DEFINE:   -gline-tables-only -Rpass-analysis=tessera -Rpass=tessera -DTSR_LOCAL -c -o %t.o
// RUN: %{compile} %S/../bench/pipelines/camera.c 2>&1 | %FileCheck %s --check-prefix=CAMERA
// RUN: %{compile} %S/../bench/pipelines/blending.c 2>&1 | %FileCheck %s --check-prefix=BLENDING
//
// CAMERA: loop nest modelled: 37 statements
// CAMERA: compared, by estimated cost, {{.*}}: (taken) overlapped tiles
// CAMERA: loop nest transformed
// CAMERA-NOT: loop nest modelled
// BLENDING: loop nest modelled: {{[3-9][0-9]}} statements
// BLENDING: compared, by estimated cost, {{.*}}: (taken) overlapped tiles
// BLENDING: loop nest transformed
// BLENDING-NOT: loop nest modelled
