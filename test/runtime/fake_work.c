/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake driver's memory, modules and streams: a stream is a list of copies and launches that run when it is waited for.
 */
#include "fake_work.h"
#include <stdlib.h>
#include <string.h>

enum { ILLEGAL_ADDRESS = 700, N_ARGUMENT = 4, MOST_FILLED = 1 << 24 /* bytes of fresh memory */ };

struct block {
  struct block *next;
  cu_address address;
  size_t bytes;
  unsigned char *data;
};

struct buffer {
  struct buffer *next;
  void *host;
};

struct kernel {
  const char *name;
  unsigned shared;             /* that it needs */
  size_t argument[N_ARGUMENT]; /* bytes, 0: there is none */
  cu_result (*run)(const struct fake_shape *shape, void *const *argument);
};

struct cu_function_s {
  const struct kernel *kernel;
  unsigned allowed;
};

struct cu_module_s {
  cu_module next;
  char *ptx;
  struct cu_function_s function[8]; /* of each kernel */
};

struct work {
  struct work *next;
  struct cu_function_s *function; /* NULL: a copy */
  struct fake_shape shape;
  void *argument[N_ARGUMENT];
  struct cu_rows rows;
  unsigned char *data; /* the rows that come from the host */
};

struct cu_stream_s {
  cu_stream next;
  struct work *first, **end;
};

/* What isn't given back is found from here on. */
static struct block *blocks;
static struct buffer *buffers;
static cu_module modules;
static cu_stream streams;
static uint64_t memory_left;

void fake_set_memory(uint64_t bytes)
{
  memory_left = bytes;
}

cu_address fake_block_new(size_t bytes)
{
  static cu_address next_address = 0x700000000000;
  if (bytes > memory_left)
    return 0;
  struct block *block = malloc(sizeof *block);
  *block = (struct block){blocks, next_address, bytes, malloc(bytes)};
  memset(block->data, 0xa5, bytes < MOST_FILLED ? bytes : MOST_FILLED);
  next_address += (bytes + 511) / 256 * 256; /* a gap between blocks */
  memory_left -= bytes;
  blocks = block;
  return block->address;
}

bool fake_block_free(cu_address address)
{
  for (struct block **at = &blocks; *at; at = &(*at)->next) {
    struct block *block = *at;
    if (block->address != address)
      continue;
    *at = block->next;
    memory_left += block->bytes;
    free(block->data);
    free(block);
    return true;
  }
  return false;
}

long fake_blocks(void)
{
  long n = 0;
  for (struct block *block = blocks; block; block = block->next)
    n++;
  return n;
}

void *fake_buffer_new(size_t bytes)
{
  struct buffer *buffer = malloc(sizeof *buffer);
  *buffer = (struct buffer){buffers, malloc(bytes)};
  buffers = buffer;
  return buffer->host;
}

bool fake_buffer_free(void *host)
{
  for (struct buffer **at = &buffers; *at; at = &(*at)->next) {
    struct buffer *buffer = *at;
    if (buffer->host != host)
      continue;
    *at = buffer->next;
    free(host);
    free(buffer);
    return true;
  }
  return false;
}

long fake_buffers(void)
{
  long n = 0;
  for (struct buffer *buffer = buffers; buffer; buffer = buffer->next)
    n++;
  return n;
}

/* Where BYTES bytes at ADDRESS are; NULL: in no block */
static void *at_address(cu_address address, size_t bytes)
{
  for (struct block *block = blocks; block; block = block->next)
    if (address >= block->address && address - block->address <= block->bytes &&
        bytes <= block->bytes - (address - block->address))
      return block->data + (address - block->address);
  return NULL;
}

static cu_address address_argument(void *argument)
{
  return *(cu_address *)argument;
}

static int64_t integer_argument(void *argument)
{
  return *(int64_t *)argument;
}

static cu_result run_add(const struct fake_shape *shape, void *const *argument)
{
  int64_t n = integer_argument(argument[3]), threads = (int64_t)shape->grid[0] * shape->block[0];
  size_t bytes = (size_t)n * sizeof(double);
  double *a = at_address(address_argument(argument[0]), bytes), *b = at_address(address_argument(argument[1]), bytes);
  double *c = at_address(address_argument(argument[2]), bytes);
  if (!a || !b || !c)
    return ILLEGAL_ADDRESS;
  for (int64_t i = 0; i < threads && i < n; i++)
    c[i] = a[i] + b[i];
  return 0;
}

static cu_result run_scale(const struct fake_shape *shape, void *const *argument)
{
  int64_t rows = integer_argument(argument[1]), cols = integer_argument(argument[2]), pitch = integer_argument(argument[3]);
  double *m = at_address(address_argument(argument[0]), (size_t)((rows - 1) * pitch + cols) * sizeof(double));
  if (!m)
    return ILLEGAL_ADDRESS;
  for (int64_t i = 0; i < (int64_t)shape->grid[1] * shape->block[1] && i < rows; i++)
    for (int64_t j = 0; j < (int64_t)shape->grid[0] * shape->block[0] && j < cols; j++)
      m[i * pitch + j] *= 2;
  return 0;
}

static cu_result run_fill(const struct fake_shape *shape, void *const *argument)
{
  size_t n = (size_t)integer_argument(argument[1]);
  void *p = at_address(address_argument(argument[0]), n);
  if (!p || shape->grid[0] == 0)
    return ILLEGAL_ADDRESS;
  memset(p, *(int *)argument[2], n);
  return 0;
}

static cu_result run_nothing(const struct fake_shape *shape, void *const *argument)
{
  (void)shape, (void)argument;
  return 0;
}

static cu_result run_wild(const struct fake_shape *shape, void *const *argument)
{
  (void)shape, (void)argument;
  return ILLEGAL_ADDRESS;
}

static const struct kernel kernels[] = {
    {"add", 0, {8, 8, 8, 8}, run_add},
    {"scale", 0, {8, 8, 8, 8}, run_scale},
    {"fill", 0, {8, 8, sizeof(int)}, run_fill},
    {"nothing", 0, {0}, run_nothing},
    {"wild", 0, {0}, run_wild},
    {"shared", 64 * 1024, {0}, run_nothing},
};
enum { N_KERNEL = sizeof kernels / sizeof *kernels };

cu_module fake_module_new(const char *ptx)
{
  cu_module module = calloc(1, sizeof *module);
  module->ptx = strdup(ptx);
  module->next = modules;
  modules = module;
  return module;
}

void fake_module_free(cu_module module)
{
  cu_module *at = &modules;
  while (*at != module)
    at = &(*at)->next;
  *at = module->next;
  free(module->ptx);
  free(module);
}

cu_function fake_module_function(cu_module module, const char *name)
{
  for (int i = 0; i < N_KERNEL; i++) {
    if (strcmp(kernels[i].name, name) || !strstr(module->ptx, name))
      continue;
    if (!module->function[i].kernel)
      module->function[i] = (struct cu_function_s){&kernels[i], 48 * 1024};
    return &module->function[i];
  }
  return NULL;
}

void fake_function_allow(cu_function function, int shared)
{
  function->allowed = (unsigned)shared;
}

cu_stream fake_stream_new(void)
{
  cu_stream stream = calloc(1, sizeof *stream);
  stream->end = &stream->first;
  stream->next = streams;
  streams = stream;
  return stream;
}

static void free_work(struct work *work)
{
  for (int i = 0; i < N_ARGUMENT; i++)
    free(work->argument[i]);
  free(work->data);
  free(work);
}

static void append(cu_stream stream, struct work *work)
{
  *stream->end = work;
  stream->end = &work->next;
}

/* Take the first work out of the stream. */
static struct work *take_first(cu_stream stream)
{
  struct work *work = stream->first;
  if (work && !(stream->first = work->next))
    stream->end = &stream->first;
  return work;
}

void fake_stream_free(cu_stream stream)
{
  for (struct work *work = take_first(stream); work; work = take_first(stream))
    free_work(work);
  cu_stream *at = &streams;
  while (*at != stream)
    at = &(*at)->next;
  *at = stream->next;
  free(stream);
}

/* The bytes that the rows on one side of a copy span */
static size_t span(const struct cu_rows *rows, const struct cu_side *side)
{
  return (rows->height - 1) * side->pitch + rows->width;
}

bool fake_stream_copy(cu_stream stream, const struct cu_rows *rows)
{
  bool to_device = rows->to.memory == TSR_CU_MEMORY_DEVICE;
  const struct cu_side *device = to_device ? &rows->to : &rows->from, *host = to_device ? &rows->from : &rows->to;
  if (!rows->width || !rows->height || device->memory != TSR_CU_MEMORY_DEVICE || host->memory != TSR_CU_MEMORY_HOST ||
      device->x || device->y || host->x || host->y || !at_address(device->device, span(rows, device)))
    return false;
  struct work *work = calloc(1, sizeof *work);
  work->rows = *rows;
  if (to_device) {
    work->data = malloc(rows->width * rows->height);
    for (size_t i = 0; i < rows->height; i++)
      memcpy(work->data + i * rows->width, (char *)host->host + i * host->pitch, rows->width);
  }
  append(stream, work);
  return true;
}

bool fake_stream_launch(cu_stream stream, cu_function function, const struct fake_shape *shape, void **arguments)
{
  const struct kernel *kernel = function->kernel;
  if (shape->shared > function->allowed || shape->shared < kernel->shared)
    return false;
  struct work *work = calloc(1, sizeof *work);
  work->function = function;
  work->shape = *shape;
  for (int i = 0; i < N_ARGUMENT && kernel->argument[i]; i++) {
    work->argument[i] = malloc(kernel->argument[i]);
    memcpy(work->argument[i], arguments[i], kernel->argument[i]);
  }
  append(stream, work);
  return true;
}

static cu_result run(const struct work *work)
{
  const struct cu_rows *rows = &work->rows;
  if (work->function)
    return work->function->kernel->run(&work->shape, work->argument);
  const struct cu_side *side = work->data ? &rows->to : &rows->from;
  unsigned char *device = at_address(side->device, span(rows, side));
  if (!device)
    return ILLEGAL_ADDRESS;
  for (size_t i = 0; i < rows->height; i++) {
    if (work->data)
      memcpy(device + i * side->pitch, work->data + i * rows->width, rows->width);
    else
      memcpy((char *)rows->to.host + i * rows->to.pitch, device + i * side->pitch, rows->width);
  }
  return 0;
}

cu_result fake_stream_run(cu_stream stream)
{
  cu_result code = 0;
  for (struct work *work = take_first(stream); work; work = code ? NULL : take_first(stream)) {
    code = run(work);
    free_work(work);
  }
  return code;
}
