/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's own header: what its files offer each other, in the order in which they build on each other.
 *
 *     process   one tsr_device: the driver, a context, and what jobs share
 *                 free blocks of device memory, free streams, loaded modules, a page-locked buffer
 *     thread    one tsr_rt_job at a time
 *                 a stream, regions (device address -> block), the copies back that are to come, a flag
 *
 * Everything here is called in the middle of a call of jobs.c, which keeps errno and makes the context current. A function
 * of a job that fails has said why and set job->failed. */
#ifndef TSR_RUNTIME_H
#define TSR_RUNTIME_H

#pragma GCC visibility push(default)
#include "tessera_rt.h"
#pragma GCC visibility pop
#include "cuda_driver.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- message.c: one line for the process --------------------------------------------------------------- */

/* A line that grows at its end; what doesn't fit is cut. */
struct tsr_line {
  char text[2048];
  size_t length;
};
__attribute__((format(printf, 2, 3))) void tsr_line_add(struct tsr_line *line, const char *format, ...);
/* Write it on stderr, at once. Line breaks within become spaces. */
void tsr_line_put(struct tsr_line *line);

/* The first failure of the process on stderr; the next ones aren't told. */
__attribute__((format(printf, 1, 2))) void tsr_tell(const char *format, ...);

/* What is over after an error of the driver: see cuda_errors.def. */
enum tsr_fate { TSR_FATE_NOBODY, TSR_FATE_JOB, TSR_FATE_MODULE, TSR_FATE_DEVICE };
/* Tell that ENTRY returned CODE for WHO (a module's name, or what else there is), and DETAIL ("": nothing more). */
enum tsr_fate tsr_tell_error(const char *who, const char *entry, cu_result code, const char *detail);

/* ---- cuda_driver.c ------------------------------------------------------------------------------------- */

/* False: there is none. */
bool tsr_driver_open(struct tsr_driver *cu);

/* ---- device.c: the process's device -------------------------------------------------------------------- */

struct tsr_block;  /* device_memory.c */
struct tsr_loaded; /* modules.c */

struct tsr_stream {
  struct tsr_stream *next; /* free, too */
  cu_stream handle;
};

/* Page-locked memory of the host's (staging.c) */
struct tsr_buffer {
  void *host; /* NULL: none yet */
  uint64_t bytes;
  bool taken;   /* by a job, which alone looks at the rest */
  bool refused; /* more than that, by the driver */
};

struct tsr_device {
  struct tsr_driver cu;
  cu_device number;
  cu_context context;
  bool traces;             /* TESSERA_RT_TRACE */
  pthread_mutex_t loading; /* held while a module is loaded */
  struct tsr_loaded *loaded;
  pthread_mutex_t lock; /* held for moments, over all that follows */
  long n_job;
  struct tsr_block *free_block;
  struct tsr_stream *free_stream;
  struct tsr_buffer buffer;
};

/* The device, for one more job; NULL: there is none (any more). tsr_device_leave follows. CLEAR is called at the process's
 * end, with the context current and no job left: it frees what is kept for jobs. */
struct tsr_device *tsr_device_enter(void (*clear)(struct tsr_device *device));
void tsr_device_leave(struct tsr_device *device);
/* Has a job begun, or tried to? */
bool tsr_device_is_open(void);
/* No job begins any more. Those that run go on as far as they get. */
void tsr_device_give_up(void);

/* ---- the job ------------------------------------------------------------------------------------------- */

struct tsr_region; /* device_memory.c */

/* N pieces of ROW bytes, PITCH bytes from one to the next, on both sides. */
struct tsr_rows {
  unsigned char *host;
  cu_address device;
  uint64_t row, pitch, n;
};

/* Bytes of device memory without a gap */
struct tsr_span {
  cu_address first;
  uint64_t bytes;
};

/* Rows that are to come back */
struct tsr_copy {
  struct tsr_rows rows;          /* at least one; row < pitch, or it is one and row == pitch */
  const struct tsr_block *block; /* where their region is */
  bool again;
  uint64_t staged, staged_pitch; /* where in the staging memory the first row is, and from one to the next */
  /* Of the first of those that are joined (fetch.c): how many they are, itself among them, and where all of them are */
  size_t joined;
  struct tsr_span span;
};

struct tsr_launches {
  int64_t kernel;
  uint32_t grid[3], block[3];
  uint64_t times; /* one behind the other */
};
enum { TSR_TRACE_LAUNCHES = 8 };
/* What trace.c tells of a job. */
struct tsr_trace {
  double begin, asked, computed; /* milliseconds: tsr_rt_begin, tsr_rt_end, and when the kernels were done */
  uint64_t in, out;              /* bytes */
  struct tsr_launches launch[TSR_TRACE_LAUNCHES];
  int n_launch;
  uint64_t n_more; /* launches that `launch` has no room for */
};

struct tsr_rt_job {
  struct tsr_device *device;
  struct tsr_rt_module *module;
  struct tsr_loaded *loaded;
  struct tsr_stream *stream; /* NULL: not yet */
  bool failed;
  /* Why: the device's memory; an error that the next job of the module would have, too */
  bool out_of_memory, unfit;
  cu_address flag;           /* 0: it has none */
  uint32_t flag_value;       /* when the kernels were done: not 0 if they have given the job up */
  struct tsr_region *region; /* by device address */
  size_t n_region, region_room;
  struct tsr_copy *copy; /* to the host, when the job ends */
  size_t n_copy, copy_room;
  unsigned char *staging; /* copies wait here */
  bool has_buffer;        /* that is the device's buffer */
  struct tsr_trace trace;
};

/* ---- failures.c: a job fails --------------------------------------------------------------------------- */

/* The job has failed; of the process's failures the first is told. */
__attribute__((format(printf, 2, 3))) void tsr_job_fail(struct tsr_rt_job *job, const char *format, ...);
/* .. for lack of the host's memory. */
void tsr_job_lacks_memory(struct tsr_rt_job *job);
/* The job has failed since ENTRY returned CODE, and told DETAIL ("": nothing); with it all that is over by such an error. */
void tsr_job_fail_by(struct tsr_rt_job *job, cu_result code, const char *entry, const char *detail);
/* Is CODE, which ENTRY returned, success? If not, the job has failed. */
bool tsr_job_did(struct tsr_rt_job *job, cu_result code, const char *entry);
/* Call an entry point of the driver for a job: true, or the job has failed. */
#define TSR_DID(job, entry, ...) tsr_job_did(job, (job)->device->cu.entry(__VA_ARGS__), #entry)
/* ARRAY with room for one more than N elements of SIZE bytes; NULL without memory, and the job has failed. *ROOM is how many
 * there is room for. */
void *tsr_job_grow(struct tsr_rt_job *job, void *array, size_t n, size_t *room, size_t size);

/* ---- streams.c ----------------------------------------------------------------------------------------- */

/* Give JOB a stream. */
bool tsr_stream_take(struct tsr_rt_job *job);
/* Wait for all that was asked for in its stream. */
bool tsr_stream_wait(struct tsr_rt_job *job);
/* Nothing of JOB runs any more. */
void tsr_stream_give_back(struct tsr_rt_job *job);
/* Destroy the free ones. */
void tsr_streams_free(struct tsr_device *device);

/* ---- device_memory.c: blocks and regions --------------------------------------------------------------- */

/* The address of a new region of JOB for BYTES > 0 bytes, its last bits those of HOST; 0: failed. */
cu_address tsr_region_add(struct tsr_rt_job *job, const void *host, uint64_t bytes);
/* The block of that region of JOB's which has BYTES > 0 bytes at ADDRESS; NULL: none has, and the job has failed. */
struct tsr_block *tsr_region_block(struct tsr_rt_job *job, cu_address address, uint64_t bytes);
/* SPAN, in the region in BLOCK, was copied from the host. The longest of such spans is remembered. */
void tsr_block_learn(struct tsr_block *block, struct tsr_span span);
/* Is SPAN within that, or empty? */
bool tsr_block_knows(const struct tsr_block *block, struct tsr_span span);
/* The job's regions are over, their blocks are free for others. Nothing of JOB runs any more. */
void tsr_regions_give_back(struct tsr_rt_job *job);
/* Give the driver back all free blocks. Were there any? */
bool tsr_blocks_free(struct tsr_device *device);

/* ---- modules.c ----------------------------------------------------------------------------------------- */

/* Load the job's module, unless it is. False without a message, too: it was refused before. */
bool tsr_module_load(struct tsr_rt_job *job);
/* The job's module gets no other job. */
void tsr_module_refuse(struct tsr_rt_job *job);
/* Kernel KERNEL, allowed to have SHARED bytes of dynamic shared memory; NULL: failed. */
cu_function tsr_module_function(struct tsr_rt_job *job, int64_t kernel, uint32_t shared);
/* Unload all. Their tsr_rt_module may be gone already. */
void tsr_modules_free(struct tsr_device *device);

/* ---- trace.c: TESSERA_RT_TRACE ------------------------------------------------------------------------- */

/* Milliseconds since some time. */
double tsr_trace_now(void);
/* Remember a launch. */
void tsr_trace_launch(struct tsr_rt_job *job, int64_t kernel, const uint32_t grid[3], const uint32_t block[3]);
/* The job is over: write its line. */
void tsr_trace_put(const struct tsr_rt_job *job);

/* ---- staging.c ----------------------------------------------------------------------------------------- */

/* Get `staging`, of BYTES > 0. */
bool tsr_staging_take(struct tsr_rt_job *job, uint64_t bytes);
/* The job needs it no more. SETTLED: nothing of JOB runs any more; else nobody else may write there. */
void tsr_staging_give_back(struct tsr_rt_job *job, bool settled);
/* Free the buffer. */
void tsr_staging_free(struct tsr_device *device);

/* ---- copies.c ------------------------------------------------------------------------------------------ */

/* Ask the driver to copy ROWS between the device and HOST, where they are PITCH apart. */
bool tsr_rows_move(struct tsr_rt_job *job, const struct tsr_rows *rows, unsigned char *host, uint64_t pitch, bool to_device);
/* Ask for it in the job's stream. */
void tsr_copy_to_device(struct tsr_rt_job *job, struct tsr_rows rows);
/* Only remembered, with the copy before if it continues that. */
void tsr_copy_to_host(struct tsr_rt_job *job, struct tsr_rows rows, bool again);

/* ---- flag.c -------------------------------------------------------------------------------------------- */

/* The address of the job's flag; 0: failed. */
cu_address tsr_flag_address(struct tsr_rt_job *job);
/* Ask for its value, if there is one, behind the kernels. */
bool tsr_flag_ask(struct tsr_rt_job *job);
/* Have kernels given the job up? Known when the stream has been waited for. */
bool tsr_flag_is_set(const struct tsr_rt_job *job);

/* ---- fetch.c ------------------------------------------------------------------------------------------- */

/* Wait for the kernels and bring the copies: into `staging`, and behind that those that may go to their place at once. False
 * without a failure, too, and nothing was brought: the flag is set. */
bool tsr_copies_fetch(struct tsr_rt_job *job);
/* From `staging` to their place. Can't fail. */
void tsr_copies_store(struct tsr_rt_job *job);

#endif
