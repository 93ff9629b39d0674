/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ld, st, atom and red, and what lanes of a warp tell each other. Every access by a lane is checked in this order: is there
 * memory at the address, of the space that the instruction names; is it aligned; may it be written; is what is read
 * initialised; does it race (ptx_memory.c)? The first that fails is the launch's fault, and the lane does nothing.
 * Accesses that are volatile or have a memory order count as atomic: they don't race with each other. */
#include "ptx.h"
#include <string.h>

static const char *const space_names[] = {"generic", "global", "shared", "local", "param", "const"};

/* ---- finding memory */

/* The space that an address is in */
static enum ptx_space space_of(uint64_t address)
{
  if (address >= PTX_GLOBAL)
    return PTX_IN_GLOBAL;
  return address < PTX_SHARED || address >= PTX_PARAM + (1u << 24) ? PTX_GENERIC
         : address < PTX_LOCAL                                     ? PTX_IN_SHARED
         : address < PTX_PARAM                                     ? PTX_IN_LOCAL
                                                                   : PTX_IN_PARAM;
}

/* Is an instruction for SPACE right for an address in space IS? Parameters of functions are in local memory. */
static bool is_for(uint8_t space, enum ptx_space is)
{
  return space == PTX_GENERIC || space == is || (space == PTX_IN_CONST && is == PTX_IN_GLOBAL) ||
         (space == PTX_IN_PARAM && is == PTX_IN_LOCAL) || (space == PTX_IN_LOCAL && is == PTX_IN_PARAM);
}

/* The region of device memory for I's access; NULL and a fault: there is none */
static struct ptx_region *find_region(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address,
                                      unsigned size)
{
  struct ptx_region *r = *i->near;
  if (!r || address - r->base >= r->size || r->freed)
    r = ptx_region_at(w->launch->memory, address);
  if (!r || r->freed || address - r->base + size > r->size) {
    ptx_fault(w, i, lane, PTX_ILLEGAL_ADDRESS, "bounds", "%u bytes at 0x%llx%s", size, (unsigned long long)address,
              r && r->freed ? ", which is freed"
              : r           ? ", the end of what is allocated"
                            : "");
    return NULL;
  }
  return *i->near = r;
}

/* A piece of memory of LIMIT bytes from BASE on, for SIZE bytes at ADDRESS; false and a fault: out of it */
static bool within(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address, unsigned size, uint64_t base,
                   uint64_t limit)
{
  if (address - base < limit && address - base + size <= limit)
    return true;
  ptx_fault(w, i, lane, PTX_ILLEGAL_ADDRESS, "bounds", "%u bytes at 0x%llx, byte %llu of %llu of %s memory", size,
            (unsigned long long)address, (unsigned long long)(address - base), (unsigned long long)limit,
            space_names[space_of(address)]);
  return false;
}

/* Fills in *AT; false and a fault: there is no such memory */
static bool find(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address, unsigned size,
                 struct ptx_place *at)
{
  struct ptx_launch *launch = w->launch;
  enum ptx_space is = space_of(address);
  uint64_t thread = (uint64_t)w->number * PTX_LANES + (uint64_t)lane;
  *at = (struct ptx_place){.offset = address - PTX_LOCAL};
  if (is == PTX_GENERIC || !is_for(i->space, is)) {
    ptx_fault(w, i, lane, PTX_ILLEGAL_ADDRESS, "bounds", "0x%llx is no address in %s memory", (unsigned long long)address,
              space_names[i->space]);
    return false;
  }
  if (is == PTX_IN_LOCAL) {
    at->data = launch->local + thread * launch->local_size + at->offset;
    at->valid = launch->local_valid + thread * launch->local_size + at->offset;
    return within(w, i, lane, address, size, PTX_LOCAL, launch->local_size);
  }
  if (is == PTX_IN_PARAM) {
    at->data = launch->params + (address - PTX_PARAM);
    return within(w, i, lane, address, size, PTX_PARAM, launch->params_size);
  }
  if (is == PTX_IN_SHARED) {
    at->region = &launch->shared;
    if (!within(w, i, lane, address, size, PTX_SHARED, launch->shared.size))
      return false;
  } else if (!(at->region = find_region(w, i, lane, address, size))) {
    return false;
  }
  at->offset = address - at->region->base;
  at->data = at->region->data + at->offset;
  at->valid = at->region->valid + at->offset;
  return true;
}

/* ---- checking an access */

/* Are SIZE bytes of validity all 1? */
static bool all_valid(const uint8_t *valid, unsigned size)
{
  uint64_t eight;
  uint32_t four;
  switch (size) {
  case 4:
    memcpy(&four, valid, sizeof four);
    return four == 0x01010101;
  case 8:
    memcpy(&eight, valid, sizeof eight);
    return eight == 0x0101010101010101;
  default:
    return !memchr(valid, 0, size);
  }
}

/* Is what I reads there, if KIND is a reading, initialised? In local memory one byte is enough: compilers copy structs with
 * their padding. */
static bool is_initialised(const struct ptx_inst *i, enum ptx_kind kind, const struct ptx_place *at, unsigned size)
{
  if (kind == PTX_WRITE || i->run == ptx_run_store || !at->valid || all_valid(at->valid, size))
    return true;
  return !at->region && memchr(at->valid, 1, size);
}

/* Faults for the race of an access of KIND with an earlier one of kind OTHER */
static void tell_race(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address, enum ptx_kind kind,
                      int other)
{
  static const char *const names[] = {"reads", "writes", "changes atomically"}, *const did[] = {"read", "wrote", "changed"};
  ptx_fault(w, i, lane, PTX_LAUNCH_FAILED, "race", "%s 0x%llx, which another thread %s without a barrier between",
            names[kind], (unsigned long long)address, did[other]);
}

bool ptx_access_check(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address, unsigned size,
                      enum ptx_kind kind, struct ptx_place *at)
{
  struct ptx_launch *launch = w->launch;
  if (!find(w, i, lane, address, size, at))
    return false;
  if (address & (size - 1)) {
    ptx_fault(w, i, lane, PTX_MISALIGNED, "misaligned", "%u bytes at 0x%llx", size, (unsigned long long)address);
    return false;
  }
  bool constant = at->region ? at->region->constant : !at->valid;
  if (kind != PTX_READ && constant) {
    ptx_fault(w, i, lane, PTX_INVALID_SPACE, "constant", "writes 0x%llx", (unsigned long long)address);
    return false;
  }
  if (!is_initialised(i, kind, at, size)) {
    ptx_fault(w, i, lane, PTX_LAUNCH_FAILED, "uninitialised", "%u bytes at 0x%llx", size, (unsigned long long)address);
    return false;
  }
  if (!at->region || constant)
    return true;
  launch->now.thread = (uint16_t)(w->number * PTX_LANES + lane);
  launch->now.sync = w->sync;
  int other = ptx_region_touch(at->region, at->offset, size, kind, &launch->now);
  if (other >= 0)
    tell_race(w, i, lane, address, kind, other);
  return other < 0;
}

/* .nc: what no thread writes while the kernel runs */
static bool check_unwritten(struct ptx_warp *w, const struct ptx_inst *i, int lane, uint64_t address,
                            const struct ptx_place *at)
{
  const struct ptx_region *r = at->region;
  const struct ptx_mark *mark = r && r->mark && !r->constant ? &r->mark[at->offset >> r->grain] : NULL;
  unsigned writes = 1u << PTX_WRITE | 1u << PTX_ATOMIC;
  if (!mark || mark->launch != w->launch->now.launch || !((mark->mine | mark->others) & writes))
    return true;
  ptx_fault(w, i, lane, PTX_LAUNCH_FAILED, "nc", "reads 0x%llx by ld.global.nc, which this kernel writes",
            (unsigned long long)address);
  return false;
}

void ptx_access_count(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask, bool load, unsigned size)
{
  uint64_t address[PTX_LANES];
  const uint64_t *base = PTX_ROW(w, i->s[0]);
  enum ptx_space is = PTX_GENERIC;
  PTX_EACH(mask, l, {
    address[l] = base[l] + (uint64_t)i->offset;
    is = space_of(address[l]);
  })
  if ((is == PTX_IN_GLOBAL && i->space != PTX_IN_CONST) || is == PTX_IN_SHARED)
    ptx_count_request(w->launch, is == PTX_IN_SHARED, load, address, mask, size);
}

/* ---- loads and stores */

/* A value of TYPE at DATA, extended as its sign says */
static inline uint64_t fetch(const uint8_t *data, enum ptx_type type, unsigned size)
{
  uint64_t value = 0;
  switch (size) {
  case 4:
    memcpy(&value, data, 4);
    return type == PTX_S32 ? (uint64_t)(int32_t)value : value;
  case 8:
    memcpy(&value, data, 8);
    return value;
  case 2:
    memcpy(&value, data, 2);
    return type == PTX_S16 ? (uint64_t)(int16_t)value : value;
  default:
    return type == PTX_S8 ? (uint64_t)(int8_t)*data : *data;
  }
}

/* The lowest SIZE bytes of VALUE to DATA, which are valid then */
static inline void put(const struct ptx_place *at, unsigned offset, uint64_t value, unsigned size)
{
  switch (size) {
  case 4:
    memcpy(at->data + offset, &value, 4);
    memset(at->valid + offset, 1, 4);
    return;
  case 8:
    memcpy(at->data + offset, &value, 8);
    memset(at->valid + offset, 1, 8);
    return;
  default:
    memcpy(at->data + offset, &value, size);
    memset(at->valid + offset, 1, size);
  }
}

void ptx_run_load(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  const uint64_t *base = PTX_ROW(w, i->s[0]);
  unsigned each = ptx_type_size(i->type), size = each * i->n;
  struct ptx_place at;
  if (w->launch->count)
    ptx_access_count(w, i, mask, true, size);
  PTX_EACH(mask, l, {
    uint64_t address = base[l] + (uint64_t)i->offset;
    if (!ptx_access_check(w, i, l, address, size, i->atomic ? PTX_ATOMIC : PTX_READ, &at))
      return;
    if (i->nc && !check_unwritten(w, i, l, address, &at))
      return;
    for (unsigned k = 0; k < i->n; k++)
      PTX_ROW(w, i->v[k])[l] = fetch(at.data + k * each, i->type, each);
  })
}

void ptx_run_store(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  const uint64_t *base = PTX_ROW(w, i->s[0]);
  unsigned each = ptx_type_size(i->type), size = each * i->n;
  struct ptx_place at;
  if (w->launch->count)
    ptx_access_count(w, i, mask, false, size);
  PTX_EACH(mask, l, {
    if (!ptx_access_check(w, i, l, base[l] + (uint64_t)i->offset, size, i->atomic ? PTX_ATOMIC : PTX_WRITE, &at))
      return;
    for (unsigned k = 0; k < i->n; k++)
      put(&at, k * each, PTX_ROW(w, i->v[k])[l], each);
  })
}

/* ---- atomics */

static const char *const atomics[] = {"add", "min", "max", "cas", "exch", "and", "or", "xor", "inc", "dec"};
enum atomic { ADD, MIN, MAX, CAS, EXCH, AND, OR, XOR, INC, DEC, N_ATOMIC };

bool ptx_atomic_known(const char *name, enum ptx_type type, uint8_t *how)
{
  for (*how = 0; *how < N_ATOMIC && strcmp(atomics[*how], name); ++*how)
    ;
  bool real = ptx_type_is_float(type), wide = type == PTX_F32 || type == PTX_F64;
  return *how < N_ATOMIC && ptx_type_size(type) >= 2 && (!real || (*how == ADD && wide));
}

/* A + B, of floats */
static uint64_t float_sum(uint64_t a, uint64_t b, enum ptx_type type)
{
  double x, y;
  float f, g;
  if (type == PTX_F64) {
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
  }
  memcpy(&f, &a, 4);
  memcpy(&g, &b, 4);
  f += g;
  memcpy(&a, &f, 4);
  return a;
}

/* What OLD becomes; B, C: the operands, all of TYPE */
static uint64_t combined(enum atomic how, enum ptx_type type, uint64_t old, uint64_t b, uint64_t c)
{
  bool less = ptx_type_is_signed(type) ? (int64_t)old < (int64_t)b : old < b;
  switch (how) {
  case ADD:
    return ptx_type_is_float(type) ? float_sum(old, b, type) : old + b;
  case MIN:
    return less ? old : b;
  case MAX:
    return less ? b : old;
  case CAS:
    return old == b ? c : old;
  case EXCH:
    return b;
  case AND:
    return old & b;
  case OR:
    return old | b;
  case XOR:
    return old ^ b;
  case INC:
    return old >= b ? 0 : old + 1;
  default: /* DEC */
    return old == 0 || old > b ? b : old - 1;
  }
}

void ptx_run_atomic(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  unsigned size = ptx_type_size(i->type);
  struct ptx_place at;
  if (w->launch->count)
    ptx_access_count(w, i, mask, false, size);
  PTX_EACH(mask, l, {
    uint64_t b = PTX_ROW(w, i->s[1])[l];
    uint64_t c = PTX_ROW(w, i->s[2])[l];
    if (!ptx_access_check(w, i, l, PTX_ROW(w, i->s[0])[l] + (uint64_t)i->offset, size, PTX_ATOMIC, &at))
      return;
    b = fetch((const uint8_t *)&b, i->type, size);
    uint64_t old = fetch(at.data, i->type, size);
    put(&at, 0, combined((enum atomic)i->how, i->type, old, b, c), size);
    PTX_ROW(w, i->d)[l] = old;
  })
}

/* ---- lanes among themselves */

void ptx_run_nothing(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  (void)w;
  (void)i;
  (void)mask;
}

void ptx_run_is_space(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  PTX_EACH(mask, l, PTX_ROW(w, i->d)[l] = space_of(PTX_ROW(w, i->s[0])[l]) == i->space)
}

void ptx_run_active(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  PTX_EACH(mask, l, PTX_ROW(w, i->d)[l] = mask)
}

/* As the PTX manual has it: c is `segment mask << 8 | clamp` */
void ptx_run_shuffle(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  uint64_t result[PTX_LANES], *d = PTX_ROW(w, i->d), *p = PTX_ROW(w, i->d2);
  bool inside[PTX_LANES];
  PTX_EACH(mask, l, {
    int b = (int)(PTX_ROW(w, i->s[1])[l] & 31);
    int clamp = (int)(PTX_ROW(w, i->s[2])[l] & 31);
    int segment = (int)(PTX_ROW(w, i->s[2])[l] >> 8 & 31);
    int most = (l & segment) | (clamp & ~segment);
    int least = l & segment;
    int from = i->how == 'u' ? l - b : i->how == 'd' ? l + b : i->how == 'b' ? l ^ b : least | (b & ~segment);
    inside[l] = i->how == 'u' ? from >= most : from <= most;
    from = inside[l] ? from : l;
    if (!(mask >> from & 1))
      ptx_fault(w, i, l, PTX_LAUNCH_FAILED, "shuffle", "takes from lane %d, which isn't there", from);
    result[l] = (uint32_t)PTX_ROW(w, i->s[0])[from];
  })
  PTX_EACH(mask, l, {
    d[l] = result[l];
    p[l] = inside[l];
  })
}

void ptx_run_vote(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  uint32_t yes = 0;
  PTX_EACH(mask, l, yes |= (uint32_t)((PTX_ROW(w, i->s[0])[l] & 1) != i->negated) << l)
  uint64_t result = i->how == 'b' ? yes : i->how == '*' ? yes == mask : i->how == 'a' ? yes != 0 : yes == mask || !yes;
  PTX_EACH(mask, l, PTX_ROW(w, i->d)[l] = result)
}
