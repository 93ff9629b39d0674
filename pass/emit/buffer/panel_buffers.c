/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Panels of a matrix in a buffer, as column_panels.c of isl-bridge finds them. In iteration J of the loop below the mark:
 *
 *   for all rows i: buffer[i] = A[i][J * columns ..]        what is touched of it
 *   the body, where A[i][j] is buffer[i][j - J * columns]
 *   for all rows i: A[i][J * columns ..] = buffer[i]        what is written of it
 *
 * A thread has one buffer, behind those of packed operands (buffer_places.c). Where the model's accesses are more than plain
 * loads and stores of elements, A is used as it is: the mark forces nothing. */
#include "emit/buffer/kept_values.h"
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

struct tsr_panel_state {
  struct tsr_panel panel;
  struct tsr_panel_box touched, written;
  LLVMValueRef rows, first_row; /* i64: how many, the first one's subscript */
  LLVMValueRef bytes;           /* of a buffer, in whole lines */
  bool marked;                  /* is the code at hand below the mark? */
  LLVMValueRef number, buffer;  /* of the panel at hand; NULL: none is */
};

/* The access of INST to the matrix; -1: it has none. */
static int access_to(struct tsr_emit *e, int array, LLVMValueRef inst)
{
  for (int i = 0; i < e->m->n_access; i++)
    if (e->m->access[i].inst == inst && e->m->access[i].array == array && e->m->access[i].stmt >= 0)
      return i;
  return -1;
}

/* { S -> A } as functions of counters and parameters, if they are affine without divisions; else NULL. */
static isl_multi_aff *subscripts(struct tsr_emit *e, const struct tsr_raw_access *access)
{
  isl_map *map = tsr_model_element(e->m, access->stmt, access);
  isl_multi_aff *all = NULL;
  if (isl_map_is_single_valued(map) == isl_bool_true) {
    isl_pw_multi_aff *pieces = isl_pw_multi_aff_from_map(isl_map_copy(map));
    if (isl_pw_multi_aff_n_piece(pieces) == 1)
      all = isl_pw_multi_aff_as_multi_aff(pieces);
    else
      isl_pw_multi_aff_free(pieces);
  }
  isl_map_free(map);
  bool good = all && isl_multi_aff_size(all) == 2;
  for (int d = 0; d < 2 && good; d++) {
    isl_aff *aff = isl_multi_aff_get_at(all, d);
    isl_val *denominator = isl_aff_get_denominator_val(aff);
    good = isl_aff_dim(aff, isl_dim_div) == 0 && isl_val_is_one(denominator) == isl_bool_true;
    isl_val_free(denominator);
    isl_aff_free(aff);
  }
  return good ? all : isl_multi_aff_free(all);
}

/* Does a scalar live in the element that access number ACCESS of the model, of no statement, stores to? */
static bool is_home_alone(const struct tsr_model *m, int access)
{
  bool home = false;
  for (int i = 0; i < m->n_array && m->access[access].stmt < 0; i++)
    home |= m->arrays[i].home == access + 1;
  return home;
}

/* Are all accesses to the matrix plain ones, and does each instance make them? What only might be touched isn't copied. */
static bool is_possible(struct tsr_emit *e, const struct tsr_panel *panel)
{
  const struct tsr_array_info *a = &e->m->arrays[panel->array];
  bool good = a->n_dim == 2 && !a->rows && !a->unbounded && !e->m->scop->no_buffers;
  for (int i = 0; i < e->m->n_access && good; i++) {
    const struct tsr_raw_access *access = &e->m->access[i];
    if (access->array != panel->array)
      continue;
    if (is_home_alone(e->m, i))
      return false;
    if (access->stmt < 0)
      continue;
    isl_multi_aff *all = NULL;
    good = (LLVMIsALoadInst(access->inst) || LLVMIsAStoreInst(access->inst)) && access->size == a->elem_size &&
           LLVMGetInstructionParent(access->inst) == e->m->stmts[access->stmt].block && access->width == 1 &&
           access->offset && (all = subscripts(e, access));
    isl_multi_aff_free(all);
  }
  return good;
}

void tsr_emit_panel_find(struct tsr_emit *e)
{
  struct tsr_panel panel;
  struct tsr_panel_box touched, written;
  isl_schedule_node *root = isl_schedule_get_root(e->variant->tree), *node = isl_schedule_node_child(root, 0);
  bool found = tsr_mark_panel(tsr_node_mark(node), e->m->scop, &panel);
  isl_schedule_node_free(node);
  if (!found || !is_possible(e, &panel) || !tsr_panel_bounds(e->m->scop, &panel, false, &touched))
    return;
  if (!tsr_panel_bounds(e->m->scop, &panel, true, &written)) {
    tsr_panel_box_clear(&touched);
    return;
  }
  e->panel = calloc(1, sizeof(*e->panel));
  e->panel->panel = panel;
  e->panel->touched = touched;
  e->panel->written = written;
}

void tsr_emit_panel_free(struct tsr_emit *e)
{
  if (e->panel) {
    tsr_panel_box_clear(&e->panel->touched);
    tsr_panel_box_clear(&e->panel->written);
  }
  free(e->panel);
  e->panel = NULL;
}

LLVMValueRef tsr_emit_panel_bytes(struct tsr_emit *e)
{
  struct tsr_panel_state *p = e->panel;
  bool may_wrap = e->may_wrap;
  e->may_wrap = true; /* nobody has seen how large these can get; they are used where there are rows */
  p->first_row = tsr_emit_expr(e, isl_ast_expr_copy(p->touched.first[0]));
  LLVMValueRef last = tsr_emit_expr(e, isl_ast_expr_copy(p->touched.last[0]));
  e->may_wrap = may_wrap;
  p->rows = LLVMBuildAdd(e->b, LLVMBuildSub(e->b, last, p->first_row, ""), tsr_emit_number(e, 1), "tsr.rows");
  p->rows = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntSGT, p->rows, tsr_emit_number(e, 0), ""), p->rows,
                            tsr_emit_number(e, 0), "");
  int64_t row = (int64_t)p->panel.columns * e->m->arrays[p->panel.array].elem_size;
  return p->bytes = LLVMBuildMul(e->b, p->rows, tsr_emit_number(e, row), "");
}

/* The address OFFSET bytes behind POINTER */
static LLVMValueRef at_byte(struct tsr_emit *e, LLVMValueRef pointer, LLVMValueRef offset)
{
  return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), pointer, &offset, 1, "");
}

/* A if PREDICATE holds for A and B, else B */
static LLVMValueRef pick(struct tsr_emit *e, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b)
{
  return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, predicate, a, b, ""), a, b, "");
}

/* Where element (ROW, COLUMN) of the panel at hand is in its buffer. */
static LLVMValueRef in_buffer(struct tsr_emit *e, LLVMValueRef row, LLVMValueRef column)
{
  struct tsr_panel_state *p = e->panel;
  LLVMValueRef columns = tsr_emit_number(e, p->panel.columns);
  row = LLVMBuildNSWMul(e->b, LLVMBuildNSWSub(e->b, row, p->first_row, ""), columns, "");
  column = LLVMBuildNSWSub(e->b, column, LLVMBuildNSWMul(e->b, p->number, columns, ""), "");
  LLVMValueRef index = LLVMBuildNSWAdd(e->b, row, column, "");
  return at_byte(e, p->buffer, LLVMBuildNSWMul(e->b, index, tsr_emit_number(e, e->m->arrays[p->panel.array].elem_size), ""));
}

/* for ROW = first .. last: memcpy of its elements in BOX, to the buffer or back */
static void copy_panel(struct tsr_emit *e, const struct tsr_panel_box *box, bool back)
{
  struct tsr_panel_state *p = e->panel;
  const struct tsr_array_info *a = &e->m->arrays[p->panel.array];
  LLVMValueRef columns = tsr_emit_number(e, p->panel.columns), size = tsr_emit_number(e, a->elem_size),
               one = tsr_emit_number(e, 1);
  LLVMValueRef begin = LLVMBuildNSWMul(e->b, p->number, columns, ""),
               end = LLVMBuildNSWSub(e->b, LLVMBuildNSWAdd(e->b, begin, columns, ""), one, "");
  begin = pick(e, LLVMIntSGT, begin, tsr_emit_expr(e, isl_ast_expr_copy(box->first[1])));
  end = pick(e, LLVMIntSLT, end, tsr_emit_expr(e, isl_ast_expr_copy(box->last[1])));
  LLVMValueRef bytes = LLVMBuildMul(e->b, LLVMBuildAdd(e->b, LLVMBuildSub(e->b, end, begin, ""), one, ""), size, "");
  LLVMValueRef first = tsr_emit_expr(e, isl_ast_expr_copy(box->first[0]));
  LLVMValueRef last = tsr_emit_expr(e, isl_ast_expr_copy(box->last[0]));
  LLVMValueRef any = LLVMBuildAnd(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, begin, end, ""),
                                  LLVMBuildICmp(e->b, LLVMIntSLE, first, last, ""), "");
  LLVMValueRef pitch = LLVMBuildMul(e->b, tsr_emit_size(e, a->size[0]), size, "tsr.pitch");
  LLVMBasicBlockRef at = LLVMGetInsertBlock(e->b), loop = tsr_emit_block(e, "tsr.panel"),
                    behind = tsr_emit_block(e, "tsr.behind");
  LLVMBuildCondBr(e->b, any, loop, behind);
  LLVMPositionBuilderAtEnd(e->b, loop);
  LLVMValueRef row = LLVMBuildPhi(e->b, e->i64, "tsr.row");
  LLVMValueRef offset = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, row, pitch, ""), LLVMBuildMul(e->b, begin, size, ""), "");
  LLVMValueRef matrix = at_byte(e, a->base, offset), buffer = in_buffer(e, row, begin);
  unsigned align = (unsigned)a->elem_size;
  if (back)
    LLVMBuildMemCpy(e->b, matrix, 1, buffer, align, bytes);
  else
    LLVMBuildMemCpy(e->b, buffer, align, matrix, 1, bytes);
  LLVMValueRef next = LLVMBuildNSWAdd(e->b, row, one, "");
  LLVMValueRef again = LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSLE, next, last, ""), loop, behind);
  tsr_set_metadata(again, "llvm.loop", tsr_emit_loop_id(e, NULL, true));
  LLVMAddIncoming(row, &first, &at, 1);
  LLVMAddIncoming(row, &next, &loop, 1);
  LLVMPositionBuilderAtEnd(e->b, behind);
}

void tsr_emit_panel_mark(struct tsr_emit *e, const struct tsr_mark *mark)
{
  (void)mark;
  if (e->panel)
    e->panel->marked = true;
}

void tsr_emit_panel_unmark(struct tsr_emit *e)
{
  if (e->panel)
    e->panel->marked = false;
}

bool tsr_emit_panel_begin(struct tsr_emit *e, LLVMValueRef counter)
{
  struct tsr_panel_state *p = e->panel;
  if (!p || !p->marked || p->number)
    return false;
  p->number = counter;
  p->buffer = tsr_emit_panel_buffer(e);
  copy_panel(e, &p->touched, false);
  return true;
}

void tsr_emit_panel_end(struct tsr_emit *e)
{
  copy_panel(e, &e->panel->written, true);
  e->panel->number = e->panel->buffer = NULL;
}

bool tsr_emit_panel_holds(struct tsr_emit *e, int array)
{
  return e->panel && e->panel->number && e->panel->panel.array == array;
}

/* Plain loads and stores are of numbers, whose sizes are powers of two. */
unsigned tsr_emit_panel_alignment(struct tsr_emit *e)
{
  return (unsigned)e->m->arrays[e->panel->panel.array].elem_size;
}

/* AFF at COUNTERS */
static LLVMValueRef aff_value(struct tsr_emit *e, __isl_take isl_aff *aff, LLVMValueRef *counters)
{
  isl_val *constant = isl_aff_get_constant_val(aff);
  LLVMValueRef sum = tsr_emit_number(e, isl_val_get_num_si(constant));
  isl_val_free(constant);
  for (int params = 0; params < 2; params++) {
    enum isl_dim_type type = params ? isl_dim_param : isl_dim_in;
    for (int i = 0; i < isl_aff_dim(aff, type); i++) {
      isl_val *factor = isl_aff_get_coefficient_val(aff, type, i);
      LLVMValueRef value = params ? tsr_emit_variable(e, isl_aff_get_dim_name(aff, type, i)) : counters[i];
      if (!isl_val_is_zero(factor))
        sum =
            LLVMBuildNSWAdd(e->b, sum, LLVMBuildNSWMul(e->b, value, tsr_emit_number(e, isl_val_get_num_si(factor)), ""), "");
      isl_val_free(factor);
    }
  }
  isl_aff_free(aff);
  return sum;
}

LLVMValueRef tsr_emit_panel_element(struct tsr_emit *e, LLVMValueRef inst, LLVMValueRef *counters)
{
  int i = e->panel && e->panel->number ? access_to(e, e->panel->panel.array, inst) : -1;
  if (i < 0)
    return NULL;
  isl_multi_aff *all = subscripts(e, &e->m->access[i]);
  LLVMValueRef row = aff_value(e, isl_multi_aff_get_at(all, 0), counters);
  LLVMValueRef column = aff_value(e, isl_multi_aff_get_at(all, 1), counters);
  isl_multi_aff_free(all);
  return in_buffer(e, row, column);
}
