/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's side of the fake libcuda (ptx.h is the interpreter's): one device, one context, one lock around every call.
 *
 *     call --enter: injected failures, is there a context, an earlier fault?--> work now, or an operation in a stream
 *     cuStreamSynchronize and the like --drain--> operations, in order --> launches, copies: their fault stays for all calls
 *
 * What is asked for asynchronously happens when somebody waits for it, never earlier: who forgets to wait sees old memory.
 * Only host memory that isn't page-locked is read by the call itself, as the real driver does.
 *
 *     TSR_PTX_DEVICES=0           no device: cuInit 100
 *     TSR_PTX_SM=80               compute capability; 90 if it isn't set
 *     TSR_PTX_VERSION=9.0         newest PTX that is taken
 *     TSR_PTX_MEMORY=BYTES        of the device; 16 GiB
 *     TSR_PTX_FAIL=NAME:N:CODE,.. the N-th call of NAME returns CODE and does nothing */
#ifndef DRIVER_H
#define DRIVER_H

#include "cu.h"
#include "ptx.h"

struct cu_context {
  int retained;
};

struct cu_module {
  struct ptx_module *ptx;
  struct cu_module *next;
};

/* A rectangle of bytes from FROM to TO; a pitch is of the side it stands with. A side with a host pointer is the host's. */
struct copy {
  const uint8_t *host_from;
  uint8_t *host_to;
  uint64_t from, to, from_pitch, to_pitch, width, height;
  uint8_t *staged; /* what HOST_FROM held when the call came */
  bool set;        /* memset: every WIDTH bytes from VALUE, 4 bytes again and again */
  uint32_t value;
};

enum operation_kind { LAUNCH, COPY, RECORD, WAIT, FREE };

struct operation {
  enum operation_kind kind;
  struct ptx_launch launch; /* LAUNCH */
  struct copy copy;         /* COPY; FREE: `to` */
  CUevent event;            /* RECORD, WAIT */
  CUstream stream;          /* WAIT: where the event was recorded, and how many operations it waits for */
  uint64_t upto;
};

/* Operations number DONE .. ISSUED - 1 are still to do; the first of them is operation[0]. */
struct cu_stream {
  bool non_blocking;
  uint64_t done, issued;
  int size;
  struct operation *operation;
  struct cu_stream *next;
};

struct cu_event {
  CUstream stream;
  uint64_t upto; /* 0: never recorded */
  double when;
};

struct driver {
  bool read, initialised;
  int pid, devices, sm, version, fault; /* FAULT: of an operation, for all later calls */
  bool random;
  uint64_t seed, limit, instructions, bytes_in, bytes_out;
  const char *count;
  struct cu_context context;
  struct ptx_memory memory;
  struct ptx_now now;
  struct cu_module *module;
  struct cu_stream legacy, *stream; /* stream 0; the others */
  struct pinned {
    uint8_t *host;
    size_t size;
    struct pinned *next;
  } *pinned;
};

/* ---- driver.c */

enum needs { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT };

/* The driver, locked, for a call of NAME; NULL: *CODE is what it returns */
struct driver *driver_enter(const char *name, enum needs needs, int *code);
/* Unlocks it; CODE, or the fault of an operation that the call ran */
int driver_leave(struct driver *d, int code);

/* ---- driver_stream.c */

/* The stream of that handle; NULL: there is none */
CUstream driver_stream(struct driver *d, CUstream handle);
/* Puts an operation behind the others of STREAM; what stream 0 and blocking ones owe each other is done first. */
int driver_issue(struct driver *d, CUstream stream, const struct operation *o);
/* Does the operations of STREAM before number UPTO; of all streams. */
void driver_drain(struct driver *d, CUstream stream, uint64_t upto);
void driver_drain_all(struct driver *d);
/* Stream 0 and those that wait for it */
void driver_drain_blocking(struct driver *d);
/* Frees what an operation owns. */
void driver_drop(struct operation *o);

/* ---- driver_memory.c */

int driver_copy(struct driver *d, const struct copy *copy);
int driver_free(struct driver *d, uint64_t address);

/* ---- driver_module.c */

int driver_launch(struct driver *d, struct ptx_launch *launch);
void driver_unload_all(struct driver *d);
/* Bytes of shared memory that a block may have when its kernel asks for it */
uint32_t driver_most_shared(const struct driver *d);

#endif
