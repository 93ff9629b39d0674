/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file of kernels is written with, so that it compiles for NVPTX and for the host. On the host a kernel is a function
 * of one thread, whose place the caller sets: good for kernels without barriers. */
#ifndef GPU_H
#define GPU_H

#ifdef __NVPTX__
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4)))
#define X ((int)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x()))
#define Y ((int)(__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y()))
#define TX ((int)__nvvm_read_ptx_sreg_tid_x())
#define TY ((int)__nvvm_read_ptx_sreg_tid_y())
#define BX ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BY ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define BARRIER() __nvvm_bar_sync(0)
#else
#define KERNEL static
#define SHARED static
#define CONSTANT static
static int gpu_x, gpu_y;
#define X gpu_x
#define Y gpu_y
#endif

#endif
