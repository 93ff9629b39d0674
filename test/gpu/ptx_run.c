/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a launch: its blocks one after the other, and in a block
 *
 *     lockstep   warp after warp up to a barrier; of a warp, the lanes at the lowest instruction go on together
 *     random     thread after thread up to a barrier, in an order drawn for each epoch; blocks in an order drawn, too
 *
 * A block is done when all threads have exited. When none can go on, all must wait at one barrier: then the next epoch
 * begins. Lanes that wait for others of their warp (shfl, vote, bar.warp.sync) go on when those have come. */
#include "ptx.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults */

#define KINDS 32
static struct {
  char kind[24];
  unsigned n;
} told[KINDS];

/* One more of KIND */
static void count_fault(const char *kind)
{
  int k = 0;
  while (k < KINDS - 1 && told[k].n && strcmp(told[k].kind, kind))
    k++;
  snprintf(told[k].kind, sizeof told[k].kind, "%s", kind);
  told[k].n++;
}

unsigned ptx_fault_count(const char *kind)
{
  unsigned n = 0;
  for (int k = 0; k < KINDS; k++)
    n += !kind || !strcmp(told[k].kind, kind) ? told[k].n : 0;
  return n;
}

void ptx_fault(struct ptx_warp *w, const struct ptx_inst *i, int lane, enum ptx_code code, const char *kind,
               const char *format, ...)
{
  struct ptx_launch *launch = w->launch;
  if (launch->code)
    return;
  char line[200];
  const uint32_t *b = launch->at;
  uint64_t tid[3];
  for (int k = 0; k < 3; k++)
    tid[k] = PTX_ROW(w, PTX_ROW_TID + k)[lane];
  fprintf(stderr, "ptx: %s: %s, line %d (%s), block (%u,%u,%u), thread (%llu,%llu,%llu): ", kind, launch->entry->name,
          i->line, ptx_module_line(launch->entry->module, i->line, line, sizeof line), b[0], b[1], b[2],
          (unsigned long long)tid[0], (unsigned long long)tid[1], (unsigned long long)tid[2]);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  launch->code = code;
  count_fault(kind);
}

void ptx_complain(const char *kind, const char *format, ...)
{
  fprintf(stderr, "ptx: %s: ", kind);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  count_fault(kind);
}

/* ---- control */

/* Lanes of MASK for which I's guard holds */
static inline uint32_t guarded(const struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  if (!i->guard)
    return mask;
  const uint64_t *guard = PTX_ROW(w, i->guard);
  uint32_t yes = 0;
  PTX_EACH(mask, l, yes |= (uint32_t)((guard[l] & 1) != i->guard_not) << l)
  return yes;
}

/* The lanes of MASK go on at PC. */
static void set_pc(struct ptx_warp *w, uint32_t mask, uint32_t pc)
{
  PTX_EACH(mask, l, w->pc[l] = pc)
}

/* Copies an argument or result within a thread's local memory, and its validity. */
static void copy_local(const struct ptx_warp *w, int lane, const struct ptx_copy *copy)
{
  uint64_t base = ((uint64_t)w->number * PTX_LANES + (uint64_t)lane) * w->launch->local_size;
  memmove(w->launch->local + base + copy->to, w->launch->local + base + copy->from, copy->size);
  memmove(w->launch->local_valid + base + copy->to, w->launch->local_valid + base + copy->from, copy->size);
}

/* Arguments to the function's local memory; on to its first instruction */
static void call(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, uint32_t pc)
{
  const struct ptx_module *m = w->launch->entry->module;
  const struct ptx_call *c = &m->call[i->target];
  PTX_EACH(mask, l, {
    for (int a = 0; a < c->n; a++)
      copy_local(w, l, &c->arg[a]);
    w->stack[l][w->depth[l]++] = pc; /* as deep as PTX_DEPTH at most: there is no recursion, see ptx_link.c */
    w->pc[l] = (uint32_t)m->function[c->function]->first;
  })
}

/* ret: results to the caller; the end for who was in the kernel itself */
static void come_back(struct ptx_warp *w, uint32_t mask)
{
  const struct ptx_module *m = w->launch->entry->module;
  PTX_EACH(mask, l, {
    if (!w->depth[l]) {
      w->exited |= 1u << l;
      continue;
    }
    uint32_t pc = w->stack[l][--w->depth[l]];
    copy_local(w, l, &m->call[m->inst[pc].target].result);
    w->pc[l] = pc + 1;
  })
}

/* brx.idx */
static void choose(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  const struct ptx_table *table = &w->launch->entry->module->table[i->target];
  PTX_EACH(mask, l, {
    uint32_t at = (uint32_t)PTX_ROW(w, i->s[0])[l];
    if (at >= (uint32_t)table->n)
      ptx_fault(w, i, l, PTX_LAUNCH_FAILED, "branch", "index %u of a table of %d", at, table->n);
    else
      w->pc[l] = (uint32_t)table->target[at];
  })
}

/* Lanes that wait at PC, all at one instruction for some of their warp, do it if those have come. Have they? */
static bool meet(struct ptx_warp *w, uint32_t pc)
{
  const struct ptx_inst *i = &w->launch->entry->module->inst[pc];
  uint32_t here = 0;
  PTX_EACH(w->at_sync, l, here |= (uint32_t)(w->pc[l] == pc) << l)
  PTX_EACH(here, first, {
    uint32_t members = (uint32_t)PTX_ROW(w, i->s[4])[first] & w->lanes & ~w->exited;
    if (!(members >> first & 1)) {
      ptx_fault(w, i, first, PTX_LAUNCH_FAILED, "sync", "its mask leaves this lane out");
      return false;
    }
    if ((here & members) != members)
      continue;
    i->run(w, i, members);
    set_pc(w, members, pc + 1);
    w->at_sync &= ~members;
    w->sync++;
    return true;
  })
  return false;
}

/* What isn't plain and no branch, for the lanes of MASK at PC */
static void control(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, uint32_t pc)
{
  switch ((enum ptx_flow)i->flow) {
  case PTX_TABLE:
    choose(w, i, mask);
    break;
  case PTX_CALL:
    call(w, i, mask, pc);
    break;
  case PTX_RETURN:
    come_back(w, mask);
    break;
  case PTX_EXIT:
    w->exited |= mask;
    break;
  case PTX_TRAP:
    ptx_fault(w, i, __builtin_ctz(mask), PTX_LAUNCH_FAILED, "trap", "it was run");
    break;
  case PTX_BARRIER:
    w->at_barrier |= mask;
    break;
  default: /* TOGETHER */
    w->at_sync |= mask;
    meet(w, pc);
  }
}

/* Runs the lanes of MASK from PC on, until they part, wait, end, or come to NEXT, where others are. */
static void run_group(struct ptx_warp *w, uint32_t mask, uint32_t pc, uint32_t next)
{
  struct ptx_launch *launch = w->launch;
  const struct ptx_inst *code = launch->entry->module->inst, *i;
  uint64_t n = 0, most = 0;
  PTX_EACH(mask, l, most = w->steps[l] > most ? w->steps[l] : most)
  uint64_t budget = launch->limit > most ? launch->limit - most : 0;
  uint32_t yes, to = 0;
  do {
    i = &code[pc];
    yes = guarded(w, i, mask);
    n++;
    if (i->flow == PTX_PLAIN) {
      if (yes)
        i->run(w, i, yes);
      pc++;
    } else if (i->flow != PTX_BRANCH && yes) {
      break;
    } else if (yes && yes != mask) {
      to = (uint32_t)i->target;
      break;
    } else {
      pc = yes ? (uint32_t)i->target : pc + 1;
    }
  } while (pc < next && n < budget && !launch->code);
  set_pc(w, mask, pc);
  PTX_EACH(mask, l, w->steps[l] += n)
  launch->counted.instructions += n * (uint64_t)__builtin_popcount(mask);
  if (n >= budget)
    ptx_fault(w, i, __builtin_ctz(mask), PTX_TIMEOUT, "limit", "%llu instructions", (unsigned long long)launch->limit);
  if (launch->code || i->flow == PTX_PLAIN || !yes || (i->flow == PTX_BRANCH && yes == mask))
    return;
  set_pc(w, mask & ~yes, pc + 1);
  if (i->flow == PTX_BRANCH)
    set_pc(w, yes, to);
  else
    control(w, i, yes, pc);
}

/* Lanes of W that can go on */
static uint32_t ready(const struct ptx_warp *w)
{
  return w->lanes & ~(w->exited | w->at_barrier | w->at_sync);
}

/* Runs the lanes of ALLOWED until none of them can go on. */
static void run_warp(struct ptx_warp *w, uint32_t allowed)
{
  uint32_t mask;
  while ((mask = ready(w) & allowed) && !w->launch->code) {
    uint32_t pc = UINT32_MAX, next = UINT32_MAX, group = 0;
    PTX_EACH(mask, l, pc = w->pc[l] < pc ? w->pc[l] : pc)
    PTX_EACH(mask, l, {
      if (w->pc[l] == pc)
        group |= 1u << l;
      else
        next = w->pc[l] < next ? w->pc[l] : next;
    })
    run_group(w, group, pc, next);
  }
}

/* ---- blocks */

/* splitmix64 */
static uint64_t draw(uint64_t *seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* 0 .. N - 1, in an order drawn if RANDOM */
static void make_order(uint32_t *order, uint32_t n, bool random, uint64_t *seed)
{
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = random ? (uint32_t)(draw(seed) % (i + 1)) : i;
    order[i] = order[k];
    order[k] = i;
  }
}

/* Runs all that can run, once. Was there something? */
static bool run_ready(struct ptx_launch *launch)
{
  uint32_t order[PTX_THREADS];
  bool some = false;
  uint32_t n = launch->random ? launch->threads : (uint32_t)launch->n_warp;
  make_order(order, n, launch->random, &launch->seed);
  for (uint32_t k = 0; k < n; k++) {
    struct ptx_warp *w = &launch->warp[launch->random ? order[k] / PTX_LANES : order[k]];
    uint32_t allowed = launch->random ? 1u << order[k] % PTX_LANES : ~0u;
    some |= (ready(w) & allowed) != 0;
    run_warp(w, allowed);
  }
  for (int k = 0; k < launch->n_warp; k++)
    PTX_EACH(launch->warp[k].at_sync, l, {
      if (launch->warp[k].at_sync >> l & 1)
        some |= meet(&launch->warp[k], launch->warp[k].pc[l]);
    })
  return some && !launch->code;
}

/* No thread can go on. A fault, unless all wait at one barrier; then they may. Is there more to run? */
static bool pass_barrier(struct ptx_launch *launch)
{
  const struct ptx_inst *code = launch->entry->module->inst;
  struct ptx_warp *first = NULL;
  int waiting = 0, exited = 0, lane = 0;
  for (int k = 0; k < launch->n_warp; k++) {
    struct ptx_warp *w = &launch->warp[k];
    if (w->at_sync) {
      lane = __builtin_ctz(w->at_sync);
      ptx_fault(w, &code[w->pc[lane]], lane, PTX_LAUNCH_FAILED, "sync", "waits for lanes of its warp that don't come");
      return false;
    }
    waiting += __builtin_popcount(w->at_barrier);
    exited += __builtin_popcount(w->exited);
    if (!first && w->at_barrier) {
      first = w;
      lane = __builtin_ctz(w->at_barrier);
    }
  }
  if (!waiting)
    return false;
  const struct ptx_inst *i = &code[first->pc[lane]];
  if (exited)
    ptx_fault(first, i, lane, PTX_LAUNCH_FAILED, "barrier", "%d threads wait, %d have exited", waiting, exited);
  uint64_t asked = i->s[1] == PTX_ROW_ZERO ? launch->threads : (uint32_t)PTX_ROW(first, i->s[1])[lane];
  if (asked != launch->threads)
    ptx_fault(first, i, lane, PTX_LAUNCH_FAILED, "barrier", "for %llu of %u threads: not known here",
              (unsigned long long)asked, launch->threads);
  for (int k = 0; k < launch->n_warp && !launch->code; k++) {
    struct ptx_warp *w = &launch->warp[k];
    PTX_EACH(w->at_barrier, l, {
      if (w->pc[l] != first->pc[lane])
        ptx_fault(w, &code[w->pc[l]], l, PTX_LAUNCH_FAILED, "barrier", "others wait at that of line %d", i->line);
    })
  }
  return !launch->code;
}

/* Behind the barrier: the next epoch */
static void next_epoch(struct ptx_launch *launch)
{
  launch->now.epoch++;
  for (int k = 0; k < launch->n_warp; k++) {
    struct ptx_warp *w = &launch->warp[k];
    set_pc(w, w->at_barrier, w->pc[w->at_barrier ? __builtin_ctz(w->at_barrier) : 0] + 1);
    w->at_barrier = 0;
  }
}

/* One block from its beginning to its end: uninitialised memory, all threads at the entry */
static void run_block(struct ptx_launch *launch)
{
  launch->now.block++;
  launch->now.epoch++;
  memset(launch->shared.valid, 0, launch->shared.size);
  memset(launch->local_valid, 0, launch->local_size * launch->threads);
  for (int k = 0; k < launch->n_warp; k++) {
    struct ptx_warp *w = &launch->warp[k];
    w->exited = w->at_barrier = w->at_sync = 0;
    set_pc(w, ~0u, (uint32_t)launch->entry->first);
    memset(w->steps, 0, sizeof w->steps);
    memset(w->depth, 0, sizeof w->depth);
    memset(w->groups, 0, sizeof w->groups);
    w->n_pending = 0;
    for (int d = 0; d < 3; d++)
      PTX_EACH(w->lanes, l, PTX_ROW(w, PTX_ROW_CTAID + d)[l] = launch->at[d])
  }
  for (;;) {
    if (run_ready(launch))
      continue;
    if (launch->code || !pass_barrier(launch))
      return;
    next_epoch(launch);
  }
}

/* ---- launches */

/* The constants of F, in all lanes */
static void fill_constants(struct ptx_warp *w, const struct ptx_function *f)
{
  for (int i = 0; i < f->n_constant; i++)
    PTX_EACH(~0u, l, PTX_ROW(w, f->constant_row[i])[l] = f->constant[i].value)
}

/* What every lane knows of itself and the launch */
static void fill_special(struct ptx_warp *w)
{
  const struct ptx_launch *launch = w->launch;
  const uint32_t *size = launch->size;
  PTX_EACH(~0u, l, {
    uint32_t thread = (uint32_t)(w->number * PTX_LANES + l);
    uint32_t at[3] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
    for (int k = 0; k < 3; k++) {
      PTX_ROW(w, PTX_ROW_TID + k)[l] = at[k];
      PTX_ROW(w, PTX_ROW_NTID + k)[l] = size[k];
      PTX_ROW(w, PTX_ROW_NCTAID + k)[l] = launch->grid[k];
    }
    PTX_ROW(w, PTX_ROW_LANE)[l] = (uint64_t)l;
    PTX_ROW(w, PTX_ROW_WARP)[l] = (uint64_t)w->number;
    PTX_ROW(w, PTX_ROW_NWARP)[l] = (uint64_t)launch->n_warp;
    PTX_ROW(w, PTX_ROW_MASK_EQ)[l] = 1u << l;
    PTX_ROW(w, PTX_ROW_MASK_LT)[l] = (1u << l) - 1;
    PTX_ROW(w, PTX_ROW_MASK_LE)[l] = (1u << l) | ((1u << l) - 1);
    PTX_ROW(w, PTX_ROW_MASK_GE)[l] = ~((1u << l) - 1);
    PTX_ROW(w, PTX_ROW_MASK_GT)[l] = ~((1u << l) - 1) & ~(1u << l);
    PTX_ROW(w, PTX_ROW_DYNAMIC_SHARED)[l] = launch->dynamic;
    PTX_ROW(w, PTX_ROW_TOTAL_SHARED)[l] = launch->shared.size;
  })
}

/* Rows for all warps, those of constants filled; false: no memory */
static bool make_warps(struct ptx_launch *launch)
{
  const struct ptx_module *m = launch->entry->module;
  size_t rows = PTX_ROWS + launch->entry->row_base + launch->entry->rows;
  launch->n_warp = (int)((launch->threads + PTX_LANES - 1) / PTX_LANES);
  launch->warp = calloc((size_t)launch->n_warp, sizeof *launch->warp);
  for (int k = 0; launch->warp && k < launch->n_warp; k++) {
    struct ptx_warp *w = &launch->warp[k];
    uint32_t left = launch->threads - (uint32_t)k * PTX_LANES;
    w->launch = launch;
    w->number = k;
    w->lanes = left >= PTX_LANES ? ~0u : (1u << left) - 1;
    w->rows = calloc(rows * PTX_LANES, sizeof *w->rows);
    if (!w->rows)
      return false;
    fill_special(w);
    for (int f = 0; f < m->n_function; f++)
      if (!m->function[f]->entry || m->function[f] == launch->entry)
        fill_constants(w, m->function[f]);
  }
  return launch->warp != NULL;
}

/* Shared and local memory; false: there is none left */
static bool make_memory(struct ptx_launch *launch)
{
  const struct ptx_function *f = launch->entry;
  launch->shared = (struct ptx_region){.base = PTX_SHARED, .shared = true, .grain = 3};
  launch->shared.size = launch->dynamic ? f->dynamic_at + launch->dynamic : f->static_shared;
  launch->shared.data = malloc(launch->shared.size + 8);
  launch->shared.valid = malloc(launch->shared.size + 8);
  launch->local_size = (f->local_base + f->local + 15) / 16 * 16;
  launch->local = malloc(launch->local_size * launch->threads + 8);
  launch->local_valid = malloc(launch->local_size * launch->threads + 8);
  return launch->shared.data && launch->shared.valid && launch->local && launch->local_valid;
}

enum ptx_code ptx_launch_run(struct ptx_launch *launch)
{
  uint64_t n = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  uint32_t *order = launch->random ? malloc(n * sizeof *order) : NULL;
  launch->now.launch++;
  if (!make_memory(launch) || !make_warps(launch) || (launch->random && !order))
    launch->code = PTX_OUT_OF_MEMORY;
  if (order)
    make_order(order, (uint32_t)n, true, &launch->seed);
  for (uint64_t k = 0; k < n && !launch->code; k++) {
    uint64_t block = order ? order[k] : k;
    launch->at[0] = (uint32_t)(block % launch->grid[0]);
    launch->at[1] = (uint32_t)(block / launch->grid[0] % launch->grid[1]);
    launch->at[2] = (uint32_t)(block / launch->grid[0] / launch->grid[1]);
    run_block(launch);
  }
  for (int k = 0; k < launch->n_warp && launch->warp; k++) {
    free(launch->warp[k].rows);
    free(launch->warp[k].pending);
  }
  free(launch->warp);
  free(launch->shared.data);
  free(launch->shared.valid);
  free(launch->shared.mark);
  free(launch->local);
  free(launch->local_valid);
  free(order);
  return launch->code;
}
