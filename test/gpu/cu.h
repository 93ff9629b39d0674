/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of the CUDA driver API that the interpreter has, declared without NVIDIA's header. */
#ifndef CU_H
#define CU_H

#include <stddef.h>
#include <stdint.h>

#define CU_API __attribute__((visibility("default")))

typedef int CUresult, CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct cu_context *CUcontext;
typedef struct cu_module *CUmodule;
typedef struct ptx_function *CUfunction;
typedef struct cu_stream *CUstream;
typedef struct cu_event *CUevent;

enum { CU_HOST = 1, CU_DEVICE = 2, CU_UNIFIED = 4 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_MAX_DYNAMIC_SHARED = 8 };
enum { CU_JIT_ERROR_LOG = 5, CU_JIT_ERROR_LOG_SIZE = 6 };

struct cu_copy_2d {
  size_t src_x, src_y;
  unsigned src_type;
  const void *src_host;
  CUdeviceptr src_device;
  void *src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  unsigned dst_type;
  void *dst_host;
  CUdeviceptr dst_device;
  void *dst_array;
  size_t dst_pitch;
  size_t width, height;
};

/* driver.c */
CU_API CUresult cuInit(unsigned flags);
CU_API CUresult cuDriverGetVersion(int *version);
CU_API CUresult cuDeviceGet(CUdevice *device, int number);
CU_API CUresult cuDeviceGetCount(int *count);
CU_API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CU_API CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CU_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CU_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CU_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CU_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CU_API CUresult cuCtxPushCurrent_v2(CUcontext context);
CU_API CUresult cuCtxPopCurrent_v2(CUcontext *context);
CU_API CUresult cuCtxSetCurrent(CUcontext context);
CU_API CUresult cuCtxGetCurrent(CUcontext *context);
CU_API CUresult cuCtxSynchronize(void);
CU_API CUresult cuGetErrorName(CUresult code, const char **name);
CU_API CUresult cuGetErrorString(CUresult code, const char **text);

/* driver_module.c */
CU_API CUresult cuModuleLoadData(CUmodule *module, const void *image);
CU_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, const int *option, void **value);
CU_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CU_API CUresult cuModuleUnload(CUmodule module);
CU_API CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CU_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function);
CU_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
                               void **extra);

/* driver_memory.c */
CU_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CU_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CU_API CUresult cuMemFree_v2(CUdeviceptr address);
CU_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CU_API CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
CU_API CUresult cuMemAllocHost_v2(void **host, size_t bytes);
CU_API CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags);
CU_API CUresult cuMemFreeHost(void *host);
CU_API CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags);
CU_API CUresult cuMemHostUnregister(void *host);
CU_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CU_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CU_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CU_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CU_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CU_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CU_API CUresult cuMemcpy2D_v2(const struct cu_copy_2d *copy);
CU_API CUresult cuMemcpy2DUnaligned_v2(const struct cu_copy_2d *copy);
CU_API CUresult cuMemcpy2DAsync_v2(const struct cu_copy_2d *copy, CUstream stream);
CU_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
CU_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n);
CU_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream);
CU_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream);

/* driver_stream.c */
CU_API CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CU_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CU_API CUresult cuStreamDestroy_v2(CUstream stream);
CU_API CUresult cuStreamSynchronize(CUstream stream);
CU_API CUresult cuStreamQuery(CUstream stream);
CU_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CU_API CUresult cuEventCreate(CUevent *event, unsigned flags);
CU_API CUresult cuEventDestroy_v2(CUevent event);
CU_API CUresult cuEventRecord(CUevent event, CUstream stream);
CU_API CUresult cuEventQuery(CUevent event);
CU_API CUresult cuEventSynchronize(CUevent event);
CU_API CUresult cuEventElapsedTime(float *ms, CUevent begin, CUevent end);

/* For tests, in this library only: how many faults of KIND ("race", "bounds", ..; NULL: all) were told; instructions run */
CU_API unsigned tsr_ptx_faults(const char *kind);
CU_API uint64_t tsr_ptx_instructions(void);

#endif
