/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements that are accessed elsewhere than the original would, and moves between arrays. Addresses come from subscripts,
 * those of the access relation; the original's own address is used where the access is the original's. */
#include "emit/buffer/array_buffers.h"
#include "emit/buffer/kept_values.h"
#include "emit/gpu/gpu.h"
#include <isl/map.h>

/* The subscripts of PLACE as bytes from the array's first element; STRIDE: bytes by dimension; MORE: what the loose one is
 * above its least */
static LLVMValueRef offset_of(struct tsr_emit *e, const struct tsr_access_place *place, LLVMValueRef *stride,
                              LLVMValueRef more)
{
  LLVMValueRef sum = tsr_emit_number(e, 0);
  for (int d = 0; d < place->n; d++) {
    LLVMValueRef index = tsr_emit_expr(e, isl_ast_expr_copy(place->index[d]));
    if (d == place->loose)
      index = LLVMBuildNSWAdd(e->b, index, more, "");
    sum = LLVMBuildNSWAdd(e->b, sum, LLVMBuildNSWMul(e->b, index, stride[d], ""), "");
  }
  return sum;
}

/* The address of PLACE, in a buffer; MORE as in offset_of */
static LLVMValueRef in_buffer(struct tsr_emit *e, const struct tsr_access_place *place, LLVMValueRef more)
{
  int number = place->array - e->program->original->n_array;
  if (e->program->scop->arrays[place->array].space == TSR_SPACE_REGISTERS)
    return e->array_buffer[number].pointer;
  LLVMValueRef offset = offset_of(e, place, e->array_buffer[number].stride, more);
  return tsr_buffer_at(e, e->array_buffer[number].pointer, offset);
}

/* The same, where that may be outside of the buffer: of a lane that a mask hides. */
static LLVMValueRef around_buffer(struct tsr_emit *e, const struct tsr_access_place *place)
{
  const struct tsr_array_buffer *buffer = tsr_buffer_of(e, place);
  LLVMValueRef offset = offset_of(e, place, e->array_buffer[place->array - e->program->original->n_array].stride, NULL);
  return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), buffer->pointer, &offset, 1, "tsr.buffer");
}

/* The address of PLACE, in an array of the original's */
static LLVMValueRef in_memory(struct tsr_emit *e, const struct tsr_access_place *place)
{
  const struct tsr_array_info *a = &e->m->arrays[place->array];
  LLVMValueRef stride[TSR_PLACE_DIM], bytes = tsr_emit_number(e, a->elem_size);
  for (int d = place->n - 1; d >= 0; d--) {
    stride[d] = bytes;
    if (d > 0)
      bytes = tsr_emit_pitch(e, a, d - 1, bytes);
  }
  LLVMValueRef offset = offset_of(e, place, stride, NULL);
  return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->llvm), a->base, &offset, 1, "");
}

LLVMValueRef tsr_emit_place_address(struct tsr_emit *e, const struct tsr_access_place *place)
{
  return in_buffer(e, place, NULL);
}

/* The same, where code for a GPU has it. */
static LLVMValueRef in_device_memory(struct tsr_emit *e, const struct tsr_access_place *place)
{
  return tsr_emit_device_address(e, place->array, in_memory(e, place));
}

/* Is PLACE, of the instance at hand, where it makes the access of the model number ACCESS, as one that READS or doesn't?
 * What is updated may be read here and written there. */
static bool is_access(struct tsr_emit *e, const struct tsr_access_place *place, int access, bool reads)
{
  const struct tsr_stmt *stmt = &e->m->scop->stmts[e->instance->stmt];
  if (stmt->access[place->access].array != e->m->access[access].array ||
      reads != (stmt->access[place->access].kind == TSR_READ))
    return false;
  isl_map *element = tsr_model_element(e->m, e->instance->stmt, &e->m->access[access]);
  isl_map *own = isl_map_copy(stmt->access[place->access].relation);
  element = isl_map_set_tuple_name(element, isl_dim_in, stmt->name); /* the model's has none */
  bool same = isl_map_plain_is_equal(element, own) == isl_bool_true;
  if (!same) {
    element = isl_map_intersect_domain(element, isl_set_copy(stmt->domain));
    own = isl_map_intersect_domain(own, isl_set_copy(stmt->domain));
    same = isl_map_is_equal(element, own) == isl_bool_true;
  }
  isl_map_free(element);
  isl_map_free(own);
  return same;
}

/* The place of INST, of the instance at hand, in a BUFFER, or where it was by simpler subscripts; NULL: none. READS: as one
 * that does, which may be a store in whose element a scalar lives. Such a store may have no statement any more: it has
 * nothing left to do. */
static const struct tsr_access_place *place_of(struct tsr_emit *e, LLVMValueRef inst, bool reads, bool buffer)
{
  if (!e->instance || e->instance->kind != TSR_STMT_COMPUTE)
    return NULL;
  for (int i = 0; i < e->m->n_access; i++)
    for (int p = 0; p < e->instance->n && e->m->access[i].inst == inst; p++)
      if (e->instance->place[p].buffer == buffer && is_access(e, &e->instance->place[p], i, reads))
        return &e->instance->place[p];
  return NULL;
}

const struct tsr_access_place *tsr_emit_place_of(struct tsr_emit *e, LLVMValueRef inst, bool reads)
{
  return place_of(e, inst, reads, true);
}

bool tsr_emit_is_placed(struct tsr_emit *e, LLVMValueRef inst, bool reads)
{
  return place_of(e, inst, reads, true) != NULL;
}

bool tsr_emit_is_element(struct tsr_emit *e, int i)
{
  const struct tsr_raw_access *access = &e->m->access[i];
  const struct tsr_array_info *a = &e->m->arrays[access->array];
  return a->kind == TSR_ARRAY_MEMORY && !a->rows && !a->unbounded && access->size == a->elem_size && access->width == 1 &&
         access->offset;
}

LLVMValueRef tsr_emit_simpler_pointer(struct tsr_emit *e, LLVMValueRef inst)
{
  const struct tsr_access_place *place =
      e->gpu && e->gpu->kernel ? NULL : place_of(e, inst, LLVMIsALoadInst(inst) != NULL, false);
  for (int i = 0; i < e->m->n_access && place; i++)
    if (e->m->access[i].inst == inst && e->m->access[i].array == place->array && !tsr_emit_is_element(e, i))
      return NULL;
  return place ? in_memory(e, place) : NULL;
}

LLVMValueRef tsr_emit_place_data(struct tsr_emit *e, LLVMValueRef inst, bool reads, int64_t *first)
{
  const struct tsr_access_place *place = place_of(e, inst, reads, true);
  for (int i = 0; i < e->m->n_access && place && place->loose >= 0; i++)
    if (e->m->access[i].inst == inst && e->m->access[i].stmt >= 0 && e->m->access[i].data_value) {
      *first = e->m->access[i].data_first;
      return e->m->access[i].data_value;
    }
  return NULL;
}

LLVMValueRef tsr_emit_placed_element(struct tsr_emit *e, LLVMValueRef inst, bool reads, LLVMValueRef more,
                                     unsigned *alignment)
{
  const struct tsr_access_place *place = place_of(e, inst, reads, true);
  if (!place)
    return NULL;
  unsigned bytes = (unsigned)e->program->scop->arrays[place->array].elem_size;
  const struct tsr_array_buffer *buffer = &e->array_buffer[place->array - e->program->original->n_array];
  if (buffer->kept && buffer->kept != inst) /* it holds what is made of the element */
    return NULL;
  if (alignment)
    *alignment = bytes & -bytes;
  return in_buffer(e, place, more);
}

/* The array of the original's that array number ARRAY of the program stands for, as a statement says that computes with it
 */
static int original_array(struct tsr_emit *e, int array)
{
  const struct tsr_program *program = e->program;
  for (int i = 0; program && array >= program->original->n_array && i < program->scop->n_stmt; i++) {
    const struct tsr_stmt *stmt = &program->scop->stmts[i];
    int origin = stmt->kind == TSR_STMT_COMPUTE ? tsr_stmt_original(program, stmt) : -1;
    for (int k = 0; k < stmt->n_access && origin >= 0; k++)
      if (stmt->access[k].array == array)
        return program->original->stmts[origin].access[k].array;
  }
  return array;
}

/* The type in which elements of array number ARRAY, of the original's, are moved: that of some load or store of one */
static LLVMTypeRef element_type(struct tsr_emit *e, int array)
{
  for (int i = 0; i < e->m->n_access; i++)
    if (e->m->access[i].array == array && LLVMIsALoadInst(e->m->access[i].inst))
      return LLVMTypeOf(e->m->access[i].inst);
  for (int i = 0; i < e->m->n_access; i++)
    if (e->m->access[i].array == array && LLVMIsAStoreInst(e->m->access[i].inst))
      return LLVMTypeOf(LLVMGetOperand(e->m->access[i].inst, 0));
  return LLVMIntTypeInContext(e->llvm, 8u * (unsigned)e->m->arrays[array].elem_size);
}

/* ACCESS, a load or store of PLACE: its alignment and what it can't overlap with. */
static void annotate(struct tsr_emit *e, LLVMValueRef access, const struct tsr_access_place *place)
{
  const struct tsr_array *array = &e->program->scop->arrays[place->array];
  unsigned bytes = (unsigned)array->elem_size;
  int scope = place->buffer ? e->m->n_array : place->array;
  LLVMSetAlignment(access, place->buffer ? bytes & -bytes : 1);
  for (int i = 0; i < e->m->n_access && !place->buffer; i++) /* what all of the original's have */
    if (e->m->access[i].array == place->array && e->m->access[i].stmt >= 0) {
      unsigned own = LLVMGetAlignment(e->m->access[i].inst);
      LLVMSetAlignment(access, own < bytes ? own : bytes & -bytes);
      break;
    }
  if (e->scope[scope]) {
    tsr_set_metadata(access, "alias.scope", e->scope[scope]);
    if (e->noalias[scope])
      tsr_set_metadata(access, "noalias", e->noalias[scope]);
  }
  if (e->access_group)
    tsr_set_metadata(access, "llvm.access.group", e->access_group);
}

/* An address on the GPU at which there are zeros */
static LLVMValueRef zero_place(struct tsr_emit *e)
{
  static const char name[] = "tsr.zero";
  LLVMValueRef zero = LLVMGetNamedGlobal(e->m->module, name);
  if (!zero) {
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->llvm), 16);
    zero = LLVMAddGlobalInAddressSpace(e->m->module, type, name, TSR_GLOBAL_MEMORY);
    LLVMSetLinkage(zero, LLVMInternalLinkage);
    LLVMSetInitializer(zero, LLVMConstNull(type));
    LLVMSetAlignment(zero, 16);
  }
  return zero;
}

LLVMValueRef tsr_emit_load_moved(struct tsr_emit *e, const struct tsr_instance *instance, LLVMValueRef cond)
{
  const struct tsr_access_place *from = &instance->place[0], *to = &instance->place[1];
  LLVMTypeRef type = element_type(e, original_array(e, from->buffer ? to->array : from->array));
  LLVMValueRef source = from->buffer ? in_buffer(e, from, NULL) : in_device_memory(e, from);
  if (cond)
    source = LLVMBuildSelect(e->b, cond, source, zero_place(e), "");
  LLVMValueRef value = LLVMBuildLoad2(e->b, type, source, "tsr.moved");
  annotate(e, value, from);
  return value;
}

void tsr_emit_store_moved(struct tsr_emit *e, const struct tsr_instance *instance, LLVMValueRef value)
{
  const struct tsr_access_place *to = &instance->place[1];
  annotate(e, LLVMBuildStore(e->b, value, to->buffer ? in_buffer(e, to, NULL) : in_device_memory(e, to)), to);
}

void tsr_emit_move(struct tsr_emit *e, const struct tsr_instance *instance)
{
  tsr_emit_store_moved(e, instance, tsr_emit_load_moved(e, instance, NULL));
}

LLVMValueRef tsr_emit_place_at(struct tsr_emit *e, int place, unsigned *alignment)
{
  const struct tsr_access_place *at = &e->instance->place[place];
  const struct tsr_array_buffer *buffer = tsr_buffer_of(e, at);
  *alignment = (unsigned)(buffer->bytes & -buffer->bytes);
  return buffer->kept ? tsr_emit_place_address(e, at) : around_buffer(e, at);
}
