/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Moves to buffers that keep values (kept_values.c): an element is loaded as the statement would that reads it, and what
 * that makes of it is stored. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include "emit/statement_code.h"
#include <stdlib.h>

struct tsr_array_buffer *tsr_emit_kept_by(struct tsr_emit *e, const struct tsr_instance *instance)
{
  struct tsr_array_buffer *buffer =
      instance && instance->kind == TSR_STMT_MOVE && instance->stmt >= 0 ? tsr_buffer_of(e, &instance->place[1]) : NULL;
  return buffer && buffer->kept ? buffer : NULL;
}

LLVMValueRef *tsr_emit_kept_counters(struct tsr_emit *e, isl_ast_node *user, const struct tsr_instance *instance,
                                     LLVMValueRef **all)
{
  tsr_emit_counters(e, user, all);
  return *all + instance->skip;
}

/* The value VALUE of BUFFER's statement, of which FROM is loaded: a chain of operations with one operand that is not
 * invariant. */
static LLVMValueRef computed(struct tsr_copy *c, const struct tsr_array_buffer *buffer, LLVMValueRef value,
                             LLVMValueRef from)
{
  if (value == from)
    return tsr_copy_resolve(c, from);
  if (tsr_is_fixed_load(c->e->m, buffer->stmt, value))
    return tsr_emit_fixed_load(c->e, buffer, value, c->counters);
  for (int i = 0; i < LLVMGetNumOperands(value); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, i);
    if (operand == from || (LLVMIsAInstruction(operand) && tsr_model_in_region(c->e->m, operand)))
      tsr_copy_bind(&c->map, &c->n, operand, computed(c, buffer, operand, from));
  }
  return tsr_copy_inst(c, value);
}

LLVMValueRef tsr_emit_fixed_load(struct tsr_emit *e, const struct tsr_array_buffer *buffer, LLVMValueRef load,
                                 LLVMValueRef *counters)
{
  if (!tsr_is_fixed_load(e->m, buffer->stmt, load))
    return NULL;
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[buffer->stmt], .counters = counters, .no_flags = true};
  LLVMValueRef made = LLVMBuildLoad2(e->b, LLVMTypeOf(load), tsr_copy_pointer(&c, load), "");
  LLVMSetAlignment(made, LLVMGetAlignment(load));
  tsr_copy_annotate(e, load, made);
  free(c.map);
  free(c.local);
  return made;
}

LLVMValueRef tsr_emit_kept_source(struct tsr_emit *e, const struct tsr_array_buffer *buffer, LLVMValueRef *counters,
                                  LLVMValueRef *inst, LLVMValueRef *read)
{
  int access = tsr_kept_access(e->m, buffer->stmt, buffer->access);
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[buffer->stmt], .counters = counters, .no_flags = true};
  *inst = e->m->access[access].inst;
  *read = tsr_kept_read(e->m, buffer->stmt, access);
  LLVMValueRef pointer = tsr_copy_pointer(&c, *inst);
  free(c.map);
  free(c.local);
  return pointer;
}

void tsr_emit_moved(struct tsr_emit *e, isl_ast_node *user)
{
  const struct tsr_instance *instance = tsr_ast_instance(user);
  const struct tsr_array_buffer *buffer = tsr_emit_kept_by(e, instance);
  if (!buffer) {
    tsr_emit_move(e, instance);
    return;
  }
  LLVMValueRef *all, *counters = tsr_emit_kept_counters(e, user, instance, &all), inst, read;
  struct tsr_copy c = {.e = e, .s = &e->m->stmts[buffer->stmt], .counters = counters};
  LLVMValueRef pointer = tsr_emit_kept_source(e, buffer, counters, &inst, &read);
  LLVMValueRef value = LLVMBuildLoad2(e->b, LLVMTypeOf(read), pointer, "");
  LLVMSetAlignment(value, LLVMGetAlignment(inst));
  tsr_copy_annotate(e, inst, value);
  tsr_copy_bind(&c.map, &c.n, read, value);
  value = computed(&c, buffer, buffer->kept, read);
  LLVMValueRef store = LLVMBuildStore(e->b, value, tsr_emit_place_address(e, &instance->place[1]));
  LLVMSetAlignment(store, (unsigned)buffer->bytes);
  tsr_emit_annotate_buffer(e, store);
  free(c.map);
  free(c.local);
  free(all);
}

#define ROWS_AHEAD 16

/* Does the move USER, by INSTANCE, go from neighbours to neighbours along ITERATOR, in a buffer of rows? */
static bool moves_rows(const struct tsr_instance *instance, const char *iterator)
{
  long from = 0, to = 0;
  return instance->place[1].n == 2 && tsr_place_step(&instance->place[0], iterator, &from) && from == 1 &&
         tsr_place_step(&instance->place[1], iterator, &to) && to == 1;
}

void tsr_emit_kept_prefetch(struct tsr_emit *e, isl_ast_node *loop, LLVMValueRef first)
{
  isl_ast_node *user = isl_ast_node_for_get_body(loop);
  const struct tsr_instance *instance =
      isl_ast_node_get_type(user) == isl_ast_node_user && e->n_var > 0 ? tsr_ast_instance(user) : NULL;
  const struct tsr_array_buffer *buffer = tsr_emit_kept_by(e, instance);
  char *iterator = buffer ? tsr_emit_iterator_name(loop) : NULL;
  if (buffer && moves_rows(instance, iterator)) {
    int64_t in_line = TSR_BUFFER_LINE / buffer->bytes, n = tsr_emit_row_length(e, &instance->place[1]);
    int n_var = e->n_var;
    LLVMValueRef ahead = LLVMBuildAdd(e->b, e->var[n_var - 1].value, tsr_emit_number(e, ROWS_AHEAD), "");
    tsr_emit_bind(e, e->var[n_var - 1].name, ahead);
    for (int64_t i = 0; i < n && in_line > 0; i += in_line) {
      LLVMValueRef *all, inst, read;
      tsr_emit_bind(e, iterator, LLVMBuildAdd(e->b, first, tsr_emit_number(e, i), ""));
      LLVMValueRef *counters = tsr_emit_kept_counters(e, user, instance, &all);
      tsr_vector_prefetch(e->b, tsr_emit_kept_source(e, buffer, counters, &inst, &read), false);
      free(all);
      tsr_emit_unbind(e, n_var + 1);
    }
    tsr_emit_unbind(e, n_var);
  }
  free(iterator);
  isl_ast_node_free(user);
}
