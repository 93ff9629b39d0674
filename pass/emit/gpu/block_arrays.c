/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of a GPU's blocks. What a block shares is a variable of the kernel's module. What belongs to threads has, in each
 * of them, its own elements: the subscripts that say which thread's have a stride of 0. With all others constants, LLVM
 * makes registers of them.
 *
 * Loops that are written out freely run iterations that aren't there. Of what is shared they read, where nothing has been
 * moved to, zeros, which are stored when the kernel begins; and they must not read behind its end: so ranges of subscripts
 * are looked at, of all iterations that the code around them runs. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include "emit/gpu/gpu.h"
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The elements of buffer number ARRAY, of constant sizes, in dimensions from FIRST on */
static uint64_t count_elements(const struct tsr_array *array, int first)
{
  uint64_t all = 1;
  for (int d = first; d < array->n_dim; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
    all *= (uint64_t)isl_val_get_num_si(last) + 1;
    isl_val_free(last);
  }
  return all;
}

/* What buffer number ARRAY's blocks share, in the kernel's module; in one kernel the same each time. */
static LLVMValueRef shared_array(struct tsr_emit *e, int array)
{
  char name[128];
  const struct tsr_array *a = &e->program->scop->arrays[array];
  LLVMValueRef *made = &e->gpu->shared[array];
  if (!*made) {
    uint64_t bytes = count_elements(a, 0) * (uint64_t)a->elem_size;
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->llvm), (bytes + 15) / 16 * 16);
    snprintf(name, sizeof(name), "tsr.%s", a->name);
    *made = LLVMAddGlobalInAddressSpace(e->m->module, type, name, TSR_SHARED_MEMORY);
    LLVMSetLinkage(*made, LLVMInternalLinkage);
    LLVMSetInitializer(*made, LLVMGetUndef(type));
    LLVMSetAlignment(*made, 16);
  }
  return *made;
}

LLVMValueRef tsr_emit_block_array(struct tsr_emit *e, int array)
{
  const struct tsr_program *program = e->program;
  const struct tsr_array *a = &program->scop->arrays[array];
  int n_thread = a->space == TSR_SPACE_PRIVATE ? e->gpu->kernel->kernel.n_size : 0;
  LLVMValueRef *stride = e->array_buffer[array - program->original->n_array].stride;
  for (int d = 0; d < a->n_dim; d++)
    stride[d] = tsr_emit_number(e, d < n_thread ? 0 : (int64_t)(count_elements(a, d + 1) * (uint64_t)a->elem_size));
  if (a->space == TSR_SPACE_SHARED)
    return shared_array(e, array);
  uint64_t bytes = count_elements(a, n_thread) * (uint64_t)a->elem_size;
  LLVMValueRef made = LLVMBuildAlloca(e->b, LLVMArrayType2(LLVMInt8TypeInContext(e->llvm), bytes), "tsr.private");
  LLVMSetAlignment(made, 16);
  return made;
}

/* What adds up in a kernel. */
struct room {
  struct tsr_scop *scop; /* the program's */
  bool *named, *seen;    /* by array */
  uint64_t shared;
};

/* Has ARRAY constant sizes, none of them large? */
static bool is_small(const struct tsr_array *array)
{
  for (int d = 0; d < array->n_dim; d++) {
    isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
    bool known = isl_val_is_int(last) == isl_bool_true && isl_val_cmp_si(last, TSR_MOST_SHARED) < 0;
    isl_val_free(last);
    if (!known)
      return false;
  }
  return true;
}

/* Add what NODE allocates of what blocks share. */
static isl_bool add_shared(isl_ast_node *node, void *user)
{
  struct room *room = user;
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  if (tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, room->scop, room->named))
    for (int i = 0; i < room->scop->n_array; i++)
      if (room->named[i] && !room->seen[i] && room->scop->arrays[i].space == TSR_SPACE_SHARED) {
        room->seen[i] = true;
        room->shared +=
            (count_elements(&room->scop->arrays[i], 0) * (uint64_t)room->scop->arrays[i].elem_size + 15) / 16 * 16;
      }
  return isl_bool_true;
}

/* Look into each kernel of NODE. isl_bool_error, as isl's walk ends there: it shares too much. */
static isl_bool check_room(isl_ast_node *node, void *user)
{
  struct room *room = user;
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  if (!tsr_mark_is(mark, TSR_MARK_KERNEL))
    return isl_bool_true;
  room->shared = 0;
  memset(room->seen, 0, (size_t)room->scop->n_array);
  isl_ast_node_foreach_descendant_top_down(node, add_shared, room);
  return room->shared <= TSR_MOST_SHARED ? isl_bool_false : isl_bool_error;
}

bool tsr_gpu_has_room(const struct tsr_variant *variant)
{
  struct tsr_scop *scop = variant->program ? variant->program->scop : NULL;
  bool good = true, any = false;
  for (int i = 0; scop && i < scop->n_array && good; i++)
    if (scop->arrays[i].space == TSR_SPACE_SHARED || scop->arrays[i].space == TSR_SPACE_PRIVATE) {
      any = true;
      good = is_small(&scop->arrays[i]);
    }
  if (!good || !any)
    return good;
  struct room room = {scop, calloc((size_t)scop->n_array, 1), calloc((size_t)scop->n_array, 1), 0};
  good = isl_ast_node_foreach_descendant_top_down(variant->ast, check_room, &room) == isl_stat_ok;
  free(room.named);
  free(room.seen);
  return good;
}

/* ---- ranges of subscripts ---- */

/* From LOW to HIGH; LONG_MIN, LONG_MAX: unknown. */
struct range {
  long low, high;
};

/* The range of an iterator, and of those around. */
struct known {
  const char *name;
  struct range range;
  const struct known *outer;
};

static const struct range anything = {LONG_MIN, LONG_MAX};
#define MOST_KNOWN (1L << 40) /* what is farther away from 0 counts as unknown */

static struct range clamp(struct range r)
{
  return (struct range){r.low < -MOST_KNOWN ? LONG_MIN : r.low, r.high > MOST_KNOWN ? LONG_MAX : r.high};
}

static long plus(long a, long b, long unknown)
{
  return a == LONG_MIN || a == LONG_MAX || b == LONG_MIN || b == LONG_MAX ? unknown : a + b;
}

static struct range opposite(struct range r)
{
  return (struct range){r.high == LONG_MAX ? LONG_MIN : -r.high, r.low == LONG_MIN ? LONG_MAX : -r.low};
}

static struct range add(struct range a, struct range b)
{
  return clamp((struct range){plus(a.low, b.low, LONG_MIN), plus(a.high, b.high, LONG_MAX)});
}

/* A * BY, BY from 0 on */
static struct range times(struct range a, long by)
{
  if (by > 1 << 20)
    return anything;
  return clamp((struct range){a.low == LONG_MIN ? a.low : a.low * by, a.high == LONG_MAX ? a.high : a.high * by});
}

static long floor_of(long a, long by)
{
  return a / by - (a % by < 0);
}

static struct range range_of(__isl_take isl_ast_expr *expr, const struct known *known);

/* The range of EXPR, an operation, whose arguments have the ranges A and B. */
static struct range range_of_op(enum isl_ast_expr_op_type type, struct range a, struct range b)
{
  bool by_number = b.low == b.high && b.low > 0 && b.low != LONG_MAX;
  switch (type) {
  case isl_ast_expr_op_minus:
    return opposite(a);
  case isl_ast_expr_op_add:
    return add(a, b);
  case isl_ast_expr_op_sub:
    return add(a, opposite(b));
  case isl_ast_expr_op_min:
    return (struct range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
  case isl_ast_expr_op_max:
    return (struct range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  case isl_ast_expr_op_mul:
    if (a.low == a.high && a.low != LONG_MIN)
      return a.low < 0 ? opposite(times(b, -a.low)) : times(b, a.low);
    return b.low != b.high || b.low == LONG_MIN ? anything : b.low < 0 ? opposite(times(a, -b.low)) : times(a, b.low);
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q:
    if (!by_number || a.low < 0)
      return anything;
    return (struct range){floor_of(a.low, b.low), a.high == LONG_MAX ? a.high : floor_of(a.high, b.low)};
  case isl_ast_expr_op_pdiv_r:
    if (!by_number || a.low < 0)
      return anything;
    return (struct range){a.high < b.low ? a.low : 0, a.high < b.low ? a.high : b.low - 1};
  default:
    return anything;
  }
}

static struct range range_of(isl_ast_expr *expr, const struct known *known)
{
  struct range range = anything;
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) {
    isl_val *value = isl_ast_expr_get_val(expr);
    long number = isl_val_get_num_si(value);
    range = clamp((struct range){number, number});
    isl_val_free(value);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(expr);
    while (known && strcmp(known->name, isl_id_get_name(id)) != 0)
      known = known->outer;
    range = known ? known->range : anything;
    isl_id_free(id);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_op) {
    enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
    isl_size n = isl_ast_expr_op_get_n_arg(expr);
    struct range all = range_of(isl_ast_expr_op_get_arg(expr, 0), known);
    if (n == 1)
      all = range_of_op(type, all, anything);
    for (int i = 1; i < n; i++)
      all = range_of_op(type, all, range_of(isl_ast_expr_op_get_arg(expr, i), known));
    range = all;
  }
  isl_ast_expr_free(expr);
  return range;
}

/* ---- iterations that aren't there ---- */

/* What looks for reads behind the end of what is shared. */
struct search {
  const struct tsr_scop *scop; /* the program's */
  const struct tsr_mark *phase, *unroll;
};

static bool is_safe(const struct search *search, __isl_take isl_ast_node *node, const struct known *known);

/* Is PLACE, in a PRIVATE array, another element in each iteration of the loops that are written out? KNOWN has these first.
 */
static bool are_distinct(const struct search *search, const struct tsr_access_place *place, const struct known *known)
{
  const struct tsr_kernel *unroll = &search->unroll->kernel;
  struct known own[TSR_MAX_MAPPED];
  int n = 1, first = search->phase->kernel.n;
  for (int i = unroll->n - 1; i >= 0; i--) {
    own[i] = *known;
    known = known->outer;
    n *= unroll->size[i];
  }
  for (int i = unroll->n - 1; i > 0; i--)
    own[i].outer = &own[i - 1];
  long *element = calloc((size_t)n + 1, sizeof(*element));
  bool good = element != NULL;
  for (int p = 0; p < n && good; p++) {
    for (int i = unroll->n - 1, rest = p; i >= 0; rest /= unroll->size[i--])
      own[i].range = (struct range){rest % unroll->size[i], rest % unroll->size[i]};
    for (int d = first; d < place->n && good; d++) {
      struct range at = range_of(isl_ast_expr_copy(place->index[d]), &own[unroll->n - 1]);
      isl_val *last = isl_set_dim_max_val(isl_set_copy(search->scop->arrays[place->array].extent), d);
      good = at.low == at.high;
      element[p] = good ? element[p] * (isl_val_get_num_si(last) + 1) + at.low : 0;
      isl_val_free(last);
    }
    for (int q = 0; q < p && good; q++)
      good = element[q] != element[p];
  }
  free(element);
  return good;
}

/* Are the subscripts of the instance USER, in loops that are written out freely, within their arrays? */
static bool are_within(const struct search *search, isl_ast_node *user, const struct known *known)
{
  const struct tsr_instance *instance = tsr_ast_instance(user);
  bool good = instance != NULL;
  for (int p = 0; good && p < instance->n; p++) {
    const struct tsr_access_place *place = &instance->place[p];
    const struct tsr_array *array = &search->scop->arrays[place->array];
    int first = array->space == TSR_SPACE_PRIVATE ? search->phase->kernel.n : 0; /* the thread's own */
    good = first == 0 || are_distinct(search, place, known);
    for (int d = first; d < place->n && good; d++) {
      struct range range = range_of(isl_ast_expr_copy(place->index[d]), known);
      isl_val *last = isl_set_dim_max_val(isl_set_copy(array->extent), d);
      good = last && range.low >= 0 && range.high != LONG_MAX && isl_val_cmp_si(last, range.high) >= 0;
      isl_val_free(last);
    }
  }
  return good;
}

/* Does MARK say how many iterations, *SIZE, a loop at DEPTH has? */
static bool has_size(const struct tsr_mark *mark, int depth, int *size)
{
  if (!mark || depth < mark->depth || depth >= mark->depth + mark->kernel.n)
    return false;
  *size = mark->kernel.size[depth - mark->depth];
  return true;
}

static bool is_safe_loop(const struct search *search, isl_ast_node *node, const struct known *known)
{
  char *name = tsr_emit_iterator_name(node);
  int depth = tsr_emit_loop_depth(node), size = 0;
  struct known own = {name, anything, known};
  own.range.low = range_of(isl_ast_node_for_get_init(node), known).low;
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
    own.range.high = range_of(isl_ast_node_for_get_init(node), known).high;
  } else {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    own.range.high = range_of(isl_ast_expr_op_get_arg(cond, 1), known).high;
    isl_ast_expr_free(cond);
  }
  if (has_size(search->unroll, depth, &size))
    own.range = (struct range){0, size - 1};
  if (has_size(search->phase, depth, &size)) {
    own.range.low = own.range.low < 0 ? 0 : own.range.low;
    own.range.high = own.range.high > size - 1 ? size - 1 : own.range.high;
  }
  bool safe = is_safe(search, isl_ast_node_for_get_body(node), &own);
  free(name);
  return safe;
}

/* Does NODE, in a phase, and within loops that are written out freely nothing but loops, read and write within its arrays?
 */
static bool is_safe(const struct search *search, isl_ast_node *node, const struct known *known)
{
  bool free_loops = search->unroll && search->unroll->kernel.free, safe = true;
  struct search inside = *search;
  isl_ast_node_list *list;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    safe = is_safe_loop(search, node, known);
    break;
  case isl_ast_node_if:
    safe = !free_loops && is_safe(search, isl_ast_node_if_get_then_node(node), known);
    if (safe && isl_ast_node_if_has_else_node(node) == isl_bool_true)
      safe = is_safe(search, isl_ast_node_if_get_else_node(node), known);
    break;
  case isl_ast_node_block:
    list = isl_ast_node_block_get_children(node);
    safe = !free_loops;
    for (int i = 0; safe && i < isl_ast_node_list_n_ast_node(list); i++)
      safe = is_safe(search, isl_ast_node_list_get_ast_node(list, i), known);
    isl_ast_node_list_free(list);
    break;
  case isl_ast_node_mark:
    if (tsr_mark_is(tsr_ast_mark(node), TSR_MARK_UNROLL))
      inside.unroll = tsr_ast_mark(node);
    safe = is_safe(&inside, isl_ast_node_mark_get_node(node), known);
    break;
  default:
    safe = !free_loops || are_within(search, node, known);
  }
  isl_ast_node_free(node);
  return safe;
}

bool tsr_emit_may_be_free(struct tsr_emit *e, const struct tsr_mark *phase, isl_ast_node *body)
{
  const struct search search = {e->program->scop, phase, NULL};
  for (int i = 0; i < e->m->n_access; i++) /* a call that ends the job must not run where it isn't called */
    if (LLVMIsACallInst(e->m->access[i].inst))
      return false;
  return is_safe(&search, isl_ast_node_copy(body), NULL);
}

/* ---- zeros ---- */

/* The SHARED arrays of a part of an AST. */
struct shared {
  struct tsr_scop *scop; /* the program's */
  bool *named, *all;     /* by array */
};

/* Is NODE, below a mark of loops that are written out freely, a loop with fewer iterations than that says, or with nobody
 * knows how many? */
static isl_bool find_short(isl_ast_node *node, void *user)
{
  const struct tsr_mark *unroll = user;
  int size = 0;
  if (isl_ast_node_get_type(node) != isl_ast_node_for || !has_size(unroll, tsr_emit_loop_depth(node), &size))
    return isl_bool_true;
  struct range last = anything;
  if (isl_ast_node_for_is_degenerate(node) != isl_bool_true) {
    isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
    last = range_of(isl_ast_expr_op_get_arg(cond, 1), NULL);
    last.low -= isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_lt;
    isl_ast_expr_free(cond);
  }
  return last.low >= size - 1 ? isl_bool_true : isl_bool_error;
}

static isl_bool find_short_loops(isl_ast_node *node, void *user)
{
  (void)user;
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  if (!tsr_mark_is(mark, TSR_MARK_UNROLL) || !mark->kernel.free)
    return isl_bool_true;
  struct tsr_mark copy = *mark;
  return isl_ast_node_foreach_descendant_top_down(node, find_short, &copy) == isl_stat_ok ? isl_bool_true : isl_bool_error;
}

/* Flag the arrays that NODE allocates. */
static isl_bool find_shared(isl_ast_node *node, void *user)
{
  struct shared *shared = user;
  const struct tsr_mark *mark = isl_ast_node_get_type(node) == isl_ast_node_mark ? tsr_ast_mark(node) : NULL;
  if (tsr_mark_is(mark, TSR_MARK_ALLOCATE) && tsr_mark_arrays(mark, shared->scop, shared->named))
    for (int i = 0; i < shared->scop->n_array; i++)
      shared->all[i] |= shared->named[i] && shared->scop->arrays[i].space == TSR_SPACE_SHARED;
  return isl_bool_true;
}

/* Store zeros to what buffer number ARRAY's block shares, each thread its part, 16 bytes at a time. */
static void emit_zeros(struct tsr_emit *e, int array)
{
  const struct tsr_kernel *kernel = &e->gpu->kernel->kernel;
  const struct tsr_array *a = &e->program->scop->arrays[array];
  long bytes = (long)(count_elements(a, 0) * (uint64_t)a->elem_size), threads = 1;
  LLVMValueRef id = NULL;
  for (int i = 0; i < kernel->n_size; i++) {
    LLVMValueRef own = tsr_emit_special(e, "tid", kernel->n_size - 1 - i);
    id = id ? LLVMBuildNSWAdd(e->b, LLVMBuildNSWMul(e->b, id, tsr_emit_number(e, kernel->size[i]), ""), own, "") : own;
    threads *= kernel->size[i];
  }
  LLVMTypeRef piece = LLVMVectorType(LLVMInt32TypeInContext(e->llvm), 4);
  LLVMValueRef at = LLVMBuildNSWMul(e->b, id, tsr_emit_number(e, 16), "");
  LLVMValueRef pointer = e->array_buffer[array - e->program->original->n_array].pointer;
  for (long first = 0; first < bytes; first += threads * 16) { /* the variable has room for whole pieces */
    LLVMValueRef offset = LLVMBuildNSWAdd(e->b, at, tsr_emit_number(e, first), "");
    LLVMBasicBlockRef behind = NULL;
    if (first + threads * 16 > bytes) {
      LLVMBasicBlockRef some = tsr_emit_block(e, "tsr.zeros");
      behind = tsr_emit_block(e, "tsr.endzeros");
      LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLT, offset, tsr_emit_number(e, bytes), ""), some, behind);
      LLVMPositionBuilderAtEnd(e->b, some);
    }
    LLVMValueRef store = LLVMBuildStore(e->b, LLVMConstNull(piece), tsr_buffer_at(e, pointer, offset));
    LLVMSetAlignment(store, 16);
    if (behind) {
      LLVMBuildBr(e->b, behind);
      LLVMPositionBuilderAtEnd(e->b, behind);
    }
  }
}

void tsr_emit_first_zeros(struct tsr_emit *e, isl_ast_node *body)
{
  struct tsr_program *program = e->program;
  if (e->gpu->kernel->kernel.n_size == 0 || !program ||
      isl_ast_node_foreach_descendant_top_down(body, find_short_loops, NULL) == isl_stat_ok)
    return;
  size_t n = (size_t)program->scop->n_array + 1;
  struct shared shared = {program->scop, calloc(n, sizeof(bool)), calloc(n, sizeof(bool))};
  isl_ast_node_foreach_descendant_top_down(body, find_shared, &shared);
  for (int i = program->original->n_array; i < program->scop->n_array; i++)
    if (shared.all[i]) {
      e->array_buffer[i - program->original->n_array].pointer = tsr_emit_block_array(e, i);
      emit_zeros(e, i);
      e->gpu->written[i] = true;
    }
  free(shared.named);
  free(shared.all);
}
