/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is behind the fake driver's entry points: memory, modules, streams. */
#ifndef TESSERA_FAKE_WORK_H
#define TESSERA_FAKE_WORK_H

#include "fake_driver.h"
#include <stdbool.h>
#include <stdint.h>

struct fake_shape {
  unsigned grid[3], block[3], shared;
};

void fake_set_memory(uint64_t bytes);
cu_address fake_block_new(size_t bytes); /* 0: no memory left */
bool fake_block_free(cu_address address);
long fake_blocks(void);
void *fake_buffer_new(size_t bytes); /* of page-locked memory */
bool fake_buffer_free(void *host);
long fake_buffers(void);

cu_module fake_module_new(const char *ptx);
void fake_module_free(cu_module module);
cu_function fake_module_function(cu_module module, const char *name); /* NULL: there is none */
void fake_function_allow(cu_function function, int shared);

cu_stream fake_stream_new(void);
void fake_stream_free(cu_stream stream);
/* Append to a stream; false: not valid. The host's memory is read now, and written by fake_stream_run. */
bool fake_stream_copy(cu_stream stream, const struct cu_rows *rows);
bool fake_stream_launch(cu_stream stream, cu_function function, const struct fake_shape *shape, void **arguments);
/* Do it all: 0, or an error. */
cu_result fake_stream_run(cu_stream stream);

#endif
