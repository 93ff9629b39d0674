/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thin C wrappers for what LLVM-C lacks. They translate, they decide nothing; all differences between LLVM versions live
 * behind this header. Handles are LLVM's own pointers: valid as long as LLVM's object is. Strings returned as char *
 * are malloc'd. */
#ifndef TSR_SHIM_H
#define TSR_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- clone.cpp, bring_back.cpp: a scratch copy of the module, and the way back ----------------------- */

struct tsr_clone;
/* Clone MODULE; only functions with cycles and what they may inline keep their bodies; unless ALL are wanted, those that are
 * plainly no candidates (see below) don't. NULL if there is none. */
struct tsr_clone *tsr_clone_create(LLVMModuleRef module, bool all);
void tsr_clone_free(struct tsr_clone *clone);
LLVMModuleRef tsr_clone_module(struct tsr_clone *clone);
struct tsr_analyses;
/* Canonicalise the clone: inline, SROA, rotate loops. NULL, or a malloc'd error. Functions without loops, and unless ALL are
 * wanted those with a call in each loop, are left as they are: no candidates. */
char *tsr_clone_canonicalise(struct tsr_clone *clone, struct tsr_analyses *analyses, bool inliner, bool all);
/* Canonical induction variables for FUNCTION of the clone, the dearest step; select it anew in ANALYSES behind it. */
void tsr_clone_simplify_counters(LLVMValueRef function, struct tsr_analyses *analyses, bool all);
bool tsr_clone_is_candidate(struct tsr_clone *clone, LLVMValueRef copy);
/* Have loops over flat indices in COPY become loops over rows, which are worth having by themselves? *LOCATION: of one. */
bool tsr_clone_has_rows(struct tsr_clone *clone, LLVMValueRef copy, LLVMMetadataRef *location);
/* The function of the original module that COPY was cloned from; NULL if there is none. */
LLVMValueRef tsr_clone_original(struct tsr_clone *clone, LLVMValueRef copy);
/* Was COPY inlined into one of its callers by tsr_clone_canonicalise? */
bool tsr_clone_was_inlined(struct tsr_clone *clone, LLVMValueRef copy);
/* Can tsr_clone_bring_back succeed? (all globals that COPY uses have an original or are plain declarations or
 * internal functions that start with PREFIX). */
bool tsr_clone_can_bring_back(struct tsr_clone *clone, LLVMValueRef copy);
/* Move COPY's body into its original, which keeps linkage, comdat, attributes and subprogram; functions that COPY calls
 * and that have no original move along. Where each of its NESTS (0: who knows) has a test of sizes, known when it is
 * entered, the original keeps its own body for small sizes (kept_original.cpp). */
void tsr_clone_bring_back(struct tsr_clone *clone, LLVMValueRef copy, unsigned nests);
/* Will it keep that? */
bool tsr_clone_keeps_original(struct tsr_clone *clone, LLVMValueRef copy, unsigned nests);
/* Of a branch that is a part of a test of sizes: one node a test. */
#define TSR_SIZE_TEST "tessera.sizes"

/* ---- joined_exits.cpp ----------------------------------------------------------------------------------- */

/* Let control leave the loops with TSR_LOOP_JOINED of FUNCTION where it did in the source. */
void tsr_function_split_exits(LLVMValueRef function);

/* ---- analysis.cpp: loops, dominators, scalar evolution, aliasing of one function ------------------------- */

typedef struct tsr_opaque_loop *tsr_loop;
typedef const struct tsr_opaque_scev *tsr_scev;
/* What the host knows of library functions; NULL: nothing. */
typedef const struct tsr_opaque_library *tsr_library;

/* Analyses of all functions of the clone; computed on demand, dropped by tsr_analyses_forget. To be freed before it. */
struct tsr_analyses *tsr_analyses_create(tsr_library library);
void tsr_analyses_free(struct tsr_analyses *analyses);
void tsr_analyses_select(struct tsr_analyses *analyses, LLVMValueRef function);
void tsr_analyses_forget(struct tsr_analyses *analyses, LLVMValueRef function);

tsr_loop tsr_loop_for(struct tsr_analyses *a, LLVMBasicBlockRef block); /* innermost, NULL if none */
tsr_loop tsr_loop_parent(tsr_loop loop);
LLVMBasicBlockRef tsr_loop_header(tsr_loop loop);
LLVMBasicBlockRef tsr_loop_preheader(tsr_loop loop);
LLVMBasicBlockRef tsr_loop_latch(tsr_loop loop);
/* The only exiting block, the only exit block: but for those of errors; else NULL. */
LLVMBasicBlockRef tsr_loop_exiting(struct tsr_analyses *a, tsr_loop loop);
LLVMBasicBlockRef tsr_loop_exit(struct tsr_analyses *a, tsr_loop loop);
bool tsr_loop_contains(tsr_loop loop, LLVMBasicBlockRef block);
bool tsr_loop_contains_loop(tsr_loop outer, tsr_loop inner); /* equal counts */
unsigned tsr_loop_children(tsr_loop loop, tsr_loop *out, unsigned max);
unsigned tsr_loops_top(struct tsr_analyses *a, tsr_loop *out, unsigned max);
bool tsr_loop_ends(struct tsr_analyses *a, tsr_loop loop); /* unless it does something that can be observed for ever? */
/* What the source calls the counter of LOOP, where debug information says so; malloc'd, else NULL. */
char *tsr_loop_counter_name(struct tsr_analyses *a, tsr_loop loop);
LLVMMetadataRef tsr_loop_location(tsr_loop loop);        /* DILocation or NULL */
bool tsr_loop_has_mark(tsr_loop loop, const char *name); /* in its llvm.loop metadata */
void tsr_loop_set_mark(tsr_loop loop, const char *name);
#define TSR_LOOP_JOINED "tessera.joined" /* has the mark: in the source, control leaves it in the middle */
/* Does the program end there, with an error? Not so the end of a function that never returns. */
bool tsr_block_is_error(struct tsr_analyses *a, LLVMBasicBlockRef block);
/* Immediate, as if there were no such blocks; NULL: the exit. */
LLVMBasicBlockRef tsr_post_dominator(struct tsr_analyses *a, LLVMBasicBlockRef block);

enum tsr_scev_kind {
  TSR_SCEV_CONSTANT,
  TSR_SCEV_UNKNOWN,
  TSR_SCEV_ADD,
  TSR_SCEV_MUL,
  TSR_SCEV_UDIV,
  TSR_SCEV_ADDREC,
  TSR_SCEV_SEXT,
  TSR_SCEV_ZEXT,
  TSR_SCEV_TRUNC,
  TSR_SCEV_SMAX,
  TSR_SCEV_UMAX,
  TSR_SCEV_SMIN,
  TSR_SCEV_UMIN,
  TSR_SCEV_PTRTOINT,
  TSR_SCEV_OTHER
};
tsr_scev tsr_scev_of(struct tsr_analyses *a, LLVMValueRef value); /* NULL if not SCEVable */
tsr_scev tsr_scev_at(struct tsr_analyses *a, LLVMValueRef value,
                     tsr_loop scope);                                    /* with exit values for loops outside SCOPE */
double tsr_loop_max_trips(struct tsr_analyses *a, tsr_loop loop);        /* a constant that it never exceeds; 0: unknown */
tsr_scev tsr_scev_backedge_count(struct tsr_analyses *a, tsr_loop loop); /* exact, but for errors; NULL if unknown */
enum tsr_scev_kind tsr_scev_kind(tsr_scev scev);
unsigned tsr_scev_bits(struct tsr_analyses *a, tsr_scev scev);
/* Is part of SCEV extended from fewer than BITS bits, and varies in some loop? */
bool tsr_scev_has_narrow_counter(struct tsr_analyses *a, tsr_scev scev, unsigned bits);
unsigned tsr_scev_n_operand(tsr_scev scev);
tsr_scev tsr_scev_operand(tsr_scev scev, unsigned i);
bool tsr_scev_constant(tsr_scev scev, int64_t *value);         /* signed; false if it needs more than 64 bits */
LLVMValueRef tsr_scev_value(tsr_scev scev);                    /* of UNKNOWN */
bool tsr_scev_is_exact(struct tsr_analyses *a, tsr_scev scev); /* ADDREC: is it so as signed numbers of any width, too? */
tsr_loop tsr_scev_loop(tsr_scev scev);                         /* of ADDREC */
bool tsr_scev_signed_range(struct tsr_analyses *a, tsr_scev scev, int64_t *min, int64_t *max); /* false: over 64 bits */
/* The same of VALUE, an integer, as far as the instructions it is made by tell: a choice between bounds, say. */
bool tsr_value_signed_range(LLVMValueRef value, int64_t *min, int64_t *max);
LLVMValueRef tsr_scev_pointer_base(struct tsr_analyses *a, tsr_scev pointer); /* NULL if not a plain value */
tsr_scev tsr_scev_pointer_offset(struct tsr_analyses *a, tsr_scev pointer);   /* bytes from the base; NULL if unknown */
bool tsr_scev_difference(struct tsr_analyses *a, tsr_scev x, tsr_scev y, int64_t *value); /* X - Y, if a constant */
char *tsr_scev_string(tsr_scev scev);
bool tsr_scev_is_invariant(struct tsr_analyses *a, tsr_scev scev, tsr_loop loop);
/* Compute anew, because operands change: what is computed from VALUE; trip counts and counters in LOOP (NULL: all). */
void tsr_scev_forget_value(struct tsr_analyses *a, LLVMValueRef value);
void tsr_scev_forget_loop(struct tsr_analyses *a, tsr_loop loop);

/* Can memory reached from base pointers A and B overlap, as far as alias analysis knows? */
bool tsr_may_alias(struct tsr_analyses *a, LLVMValueRef x, LLVMValueRef y);
/* Might LLVM's vectoriser make CALL, without leave to be inexact, one of a vector library that is not exact? */
bool tsr_call_may_lose_precision(struct tsr_analyses *a, LLVMValueRef call);
/* Can CALL read memory reached from POINTER, which is the same value in all its executions? */
bool tsr_call_may_read(struct tsr_analyses *a, LLVMValueRef call, LLVMValueRef pointer);
/* Can some execution of STORE write what LOAD, whose address doesn't change, reads? By types too. */
bool tsr_may_overwrite(struct tsr_analyses *a, LLVMValueRef store, LLVMValueRef load);
/* Can LOAD's address be loaded from in front of AT, whatever happens behind? */
bool tsr_is_dereferenceable(struct tsr_analyses *a, LLVMValueRef load, LLVMValueRef at);
/* Can loads, stores or calls X and Y, as far as their types tell, access the same memory? */
bool tsr_types_may_alias(struct tsr_analyses *a, LLVMValueRef x, LLVMValueRef y);
/* Can ACCESS, a load or store, as far as types tell, be to what CALL sets as errno? */
bool tsr_may_be_errno(struct tsr_analyses *a, LLVMValueRef call, LLVMValueRef access);
/* Bytes of the alloca or global variable that BASE is; 0 if it is neither or its size isn't known. */
uint64_t tsr_object_size(LLVMModuleRef module, LLVMValueRef base);
bool tsr_dominates(struct tsr_analyses *a, LLVMValueRef inst, LLVMValueRef at);
bool tsr_is_identified_object(LLVMValueRef pointer);
bool tsr_is_well_defined(LLVMValueRef value); /* certainly neither undef nor poison? */

/* ---- inst.cpp: what LLVM-C doesn't tell about instructions ------------------------------------------------- */

/* Memory effects of a call: reads / writes anything but the errno location, if so only what its arguments point to; touches
 * errno. */
struct tsr_call_effects {
  bool reads, writes, only_arguments, errno_write, no_unwind, will_return, convergent, strictfp, musttail;
};
struct tsr_call_effects tsr_call_effects(LLVMValueRef call);
/* Is CALL a product or a quotient of two complex numbers, of four arguments, by the compiler's library? */
bool tsr_is_complex_helper(LLVMValueRef call);
bool tsr_inst_is_debug(LLVMValueRef inst);
uint64_t tsr_type_store_size(LLVMModuleRef module, LLVMTypeRef type);
uint64_t tsr_type_alloc_size(LLVMModuleRef module, LLVMTypeRef type);
bool tsr_type_has_padding(LLVMModuleRef module, LLVMTypeRef type); /* does the store size differ from the bits? */
bool tsr_fast_math_reassoc(LLVMValueRef inst);
/* Clear nnan and ninf of a floating-point operation (LLVMSetFastMathFlags only adds flags). */
void tsr_fast_math_allow_nan_inf(LLVMValueRef inst);
bool tsr_fn_has_attr(LLVMValueRef function, const char *enum_name);
bool tsr_fn_has_text_attr(LLVMValueRef function, const char *name, const char *value); /* VALUE NULL: any */
LLVMValueRef tsr_fn_special_call(LLVMValueRef function); /* the first call that returns twice or is musttail; NULL: none */
bool tsr_fn_has_fixed_body(LLVMValueRef function);       /* prefix data, or a block whose address is taken */
bool tsr_module_is_supported(LLVMModuleRef module);      /* 64-bit pointers, no GPU target */
bool tsr_fn_is_cold_or_small(LLVMValueRef function);     /* optsize, minsize or cold */
/* Source position; false without debug information. FILE is owned by LLVM. */
bool tsr_location(LLVMMetadataRef location, const char **file, const char **dir, unsigned *line, unsigned *column);
LLVMMetadataRef tsr_inst_location(LLVMValueRef inst); /* NULL if none */
/* The source name of a variable that holds VALUE, from debug records; malloc'd, NULL if unknown. */
char *tsr_source_name(LLVMValueRef value);

/* ---- edit.cpp: changes to the control flow ------------------------------------------------------------------ */

/* Split the block of INST in front of INST; returns the new block, which starts with INST. */
LLVMBasicBlockRef tsr_split_before(LLVMValueRef inst);
LLVMBasicBlockRef tsr_split_edges(LLVMBasicBlockRef block, LLVMBasicBlockRef *preds, unsigned n);
void tsr_replace_uses_outside(LLVMValueRef from, LLVMValueRef to, LLVMBasicBlockRef *inside, unsigned n_inside,
                              LLVMValueRef except);
void tsr_replace_uses_inside(LLVMValueRef from, LLVMValueRef to, LLVMBasicBlockRef *inside, unsigned n_inside);
void tsr_redirect(LLVMValueRef terminator, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Outline N blocks (the first is the only entry) into FUNCTION.SUFFIX(ptr); returns the new call, NULL on failure. */
LLVMValueRef tsr_outline(LLVMBasicBlockRef *blocks, unsigned n, const char *suffix);
/* Turn allocas that are only loaded and stored into values. */
void tsr_promote(LLVMValueRef function, LLVMValueRef *slots, unsigned n);
void tsr_phi_replace_block(LLVMValueRef phi, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Erase the lifetime markers of all allocas that have one in BLOCKS. */
void tsr_erase_lifetime_markers(LLVMBasicBlockRef *blocks, unsigned n);
LLVMValueRef tsr_clone_inst(LLVMValueRef inst, bool keep_flags);
/* Does the target that FUNCTION is compiled for fuse what llvm.fmuladd lets it fuse? Is INST that? .. CALL becomes llvm.fma.
 */
bool tsr_target_fuses(LLVMValueRef function);
bool tsr_is_fmuladd(LLVMValueRef inst);
void tsr_fuse(LLVMValueRef call);
bool tsr_verify_function(LLVMValueRef function, char **message);

/* ---- vector_inst.cpp: instructions on vectors --------------------------------------------------------------------- */

/* Can tsr_vector_op widen INST: does it compute lane by lane, without a trap whatever the lanes are? */
bool tsr_vector_is_possible(LLVMValueRef inst);
/* .. or one lane after the other, of lanes that may run it: a pure call, a division of integers, or what a call returned? */
bool tsr_vector_is_alone(LLVMValueRef inst);
/* INST, with its flags, on OPERANDS, vectors of LANES or numbers that stand for LANES equal ones. Of a call that returns a
 * struct the result is a struct of vectors. */
LLVMValueRef tsr_vector_op(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef *operands, unsigned lanes);
LLVMValueRef tsr_vector_splat(LLVMBuilderRef builder, LLVMValueRef value, unsigned lanes);
/* LANES elements of TYPE at POINTER, or with a vector of pointers one at each; those whose bit of MASK (NULL: all) is not
 * set are not touched: loaded as 0. ALIGN: of one element. */
LLVMValueRef tsr_vector_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef pointer, unsigned align, unsigned lanes,
                             LLVMValueRef mask);
/* Fetch the cache line at POINTER, to be written if WRITE; no pointer is wrong. */
void tsr_vector_prefetch(LLVMBuilderRef builder, LLVMValueRef pointer, bool write);
LLVMValueRef tsr_vector_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef pointer, unsigned align,
                              LLVMValueRef mask);
/* The same of elements PITCH apart, that of lane 0 at POINTER; what lies between isn't touched. */
LLVMValueRef tsr_vector_load_apart(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef pointer, unsigned align,
                                   unsigned lanes, unsigned pitch, LLVMValueRef mask);
LLVMValueRef tsr_vector_store_apart(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef pointer, unsigned align,
                                    unsigned pitch, LLVMValueRef mask);

/* ---- device_module.cpp: kernels of a GPU ---------------------------------------------------------------------------------
 */

/* The kernels of CLONE's module. */
struct tsr_device;
struct tsr_device *tsr_device_create(struct tsr_clone *clone);
/* Has this LLVM code for NVIDIA's GPUs? */
bool tsr_device_is_possible(void);
/* Is CALL one of a mathematical function, of double or float, that CUDA's libdevice has, and is that here? It is looked for
 * where the environment's CUDA_PATH says, and in a toolkit's usual places. */
bool tsr_device_has_function(LLVMValueRef call);
/* In the clone: what tsr_rt_begin is given. */
LLVMValueRef tsr_device_kernels(struct tsr_device *device);
/* FUNCTION(ptr), of the clone, which reads its arguments from a struct of type ARGUMENTS and refers to no global, is a
 * kernel; its number. */
int tsr_device_add(struct tsr_device *device, LLVMValueRef function, LLVMTypeRef arguments);
/* Generate the code of all kernels, if one of them is used in the original module, and put it there; where that isn't
 * possible, the calls that begin a job give NULL. NULL, or a malloc'd sentence that says why not. Frees DEVICE; to be called
 * before the clone is freed. */
char *tsr_device_finish(struct tsr_device *device);
/* In the N BLOCKS, let what refers to globals be values that BUILDER makes in front of them. */
void tsr_capture_globals(LLVMBasicBlockRef *blocks, unsigned n, LLVMBuilderRef builder);

/* Metadata. */
LLVMMetadataRef tsr_md_distinct(LLVMContextRef ctx);
/* !{self, ITEMS...}, distinct */
LLVMMetadataRef tsr_md_self_reference(LLVMContextRef ctx, LLVMMetadataRef *items, unsigned n);
/* Append to OUT the hints that forbid to vectorise, unroll, interleave or distribute LOOP. */
void tsr_md_loop_hints(tsr_loop loop, LLVMMetadataRef *out, unsigned *n, unsigned max);
LLVMMetadataRef tsr_md_alias_domain(LLVMContextRef ctx, const char *name);
LLVMMetadataRef tsr_md_alias_scope(LLVMContextRef ctx, LLVMMetadataRef domain, const char *name);
LLVMMetadataRef tsr_md_node(LLVMContextRef ctx, LLVMMetadataRef *items, unsigned n);
void tsr_set_metadata(LLVMValueRef inst, const char *kind, LLVMMetadataRef node);
void tsr_emit_scope_decl(LLVMBuilderRef builder, LLVMMetadataRef scope);

/* ---- remark.cpp ---------------------------------------------------------------------------------------------- */

enum tsr_remark_kind { TSR_REMARK_PASSED, TSR_REMARK_MISSED, TSR_REMARK_ANALYSIS };
struct tsr_remark_arg {
  const char *key; /* "" for plain text */
  const char *value;
};
/* Does anybody listen to remarks on FUNCTION? Texts are dear to make. */
bool tsr_remarks_are_wanted(LLVMValueRef function);
/* Emit a remark on FUNCTION (of the original module) at LOCATION (NULL: the function). */
void tsr_remark(LLVMValueRef function, LLVMMetadataRef location, enum tsr_remark_kind kind, const char *name,
                const struct tsr_remark_arg *args, unsigned n);
void tsr_error(LLVMModuleRef module, const char *message);

#ifdef __cplusplus
}
#endif
#endif
