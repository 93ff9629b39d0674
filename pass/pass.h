/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The LLVM half of Tessera: read/ turns IR into a SCoP, emit/ turns an isl AST back into IR, driver.c shows the whole flow.
 *
 *   function -> tree of nodes (read/control/control_tree.c) -> runs of siblings -> tsr_model (read/)
 *            -> tsr_pipeline_run (isl-bridge) -> versioned IR (emit/)
 *
 * Floors, each of which calls those before it: shim/; target.c, tally.c; read/; emit/, report.c; discover.c, driver.c. Each
 * folder has a header that is its map, sections named after the file that exports them, in flow order: read/read.h,
 * emit/emit.h. This one is of what all parts share. */
#ifndef TSR_PASS_H
#define TSR_PASS_H

#include "shim/shim.h"
#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_model;
struct tsr_node;

/* ---- driver.c ----------------------------------------------------------------------------------------- */

enum tsr_when { TSR_WHEN_EARLY, TSR_WHEN_LATE, TSR_WHEN_ASKED };
/* The whole pass on one module: clone, canonicalise, model, plan, emit, bring back. Did MODULE change? */
bool tsr_run(LLVMModuleRef module, const struct tsr_options *opt, enum tsr_when when, tsr_library library);

/* ---- target.c ----------------------------------------------------------------------------------------------- */

/* *MACHINE: what FUNCTION is compiled for. */
void tsr_target_machine(LLVMValueRef function, struct tsr_machine *machine);
/* How long vectors FUNCTION asks for. */
struct tsr_vectors {
  LLVMAttributeRef legal, preferred; /* NULL: there is no such attribute */
};
struct tsr_vectors tsr_target_vectors(LLVMValueRef function);
void tsr_target_set_vectors(LLVMValueRef function, struct tsr_vectors vectors);
/* New code is about to be written into FUNCTION: where LLVM would split the vectors of MACHINE, FUNCTION asks for them; for
 * loops, too, but where it STREAMS (of struct tsr_estimate). */
void tsr_target_use_vectors(LLVMValueRef function, const struct tsr_machine *machine, bool streams);
/* Is it known how MODULE calls malloc, whose size_t has 64 bits, and where errno is? */
bool tsr_library_is_known(LLVMModuleRef module);
/* May new code of FUNCTION allocate memory? */
bool tsr_pack_is_possible(LLVMValueRef function);
/* Has FUNCTION's target stores of vectors past the caches? */
bool tsr_stream_is_possible(LLVMValueRef function);

/* ---- report.c: reasons and remarks ------------------------------------------------------------------------ */

enum tsr_reason {
  TSR_ACCEPTED,
#define REASON(NAME, TEXT, HINT) TSR_REASON_##NAME,
#include "reasons.def"
#undef REASON
  TSR_N_REASON
};
/* Each returns the remark's name. */
const char *tsr_report_rejected(struct tsr_model *m, LLVMValueRef original, const struct tsr_node *node);
const char *tsr_report_no_gpu(struct tsr_model *m, LLVMValueRef original, const char *why);
const char *tsr_report_budget(LLVMValueRef original, const struct tsr_node *node, const char *stage);
/* Nothing of a function may be changed because of WHAT, an attribute or callee of it. */
const char *tsr_report_untouched(LLVMValueRef original, tsr_loop loop, enum tsr_reason reason, const char *what);
const char *tsr_report_modelled(struct tsr_model *m, LLVMValueRef original);
/* M, of several nests, is split at NODE, which can't be in one SCoP with them; PLAN: it could, but what was planned for it
 * can't be used or isn't worth it. */
void tsr_report_split(struct tsr_model *m, LLVMValueRef original, const struct tsr_node *node,
                      const struct tsr_result *plan);
/* What the search has compared at what cost. */
void tsr_report_candidates(struct tsr_model *m, LLVMValueRef original, const struct tsr_result *result);
/* How the influence tree was followed: TRACE of struct tsr_result. */
void tsr_report_influence(struct tsr_model *m, LLVMValueRef original, const char *trace);
/* The verdict is another than TSR_OK. */
const char *tsr_report_left(struct tsr_model *m, LLVMValueRef original, const struct tsr_result *result);
/* Of the original function's new body, once it is verified; LOCATION: tsr_node_location, asked for before the emission. */
const char *tsr_report_transformed(LLVMValueRef original, LLVMMetadataRef location, const struct tsr_result *result);
/* Rows of a flat index are all that has changed. */
const char *tsr_report_rows(LLVMValueRef original, LLVMMetadataRef location);
const char *tsr_report_broken(LLVMValueRef original, LLVMMetadataRef location, const char *why);
/* Of the first loop in NODE; NULL if unknown. */
LLVMMetadataRef tsr_node_location(const struct tsr_node *node);

/* ---- tally.c: what became of a module's nests, in numbers -------------------------------------------------- */

#define TSR_MAX_TALLY 64
struct tsr_tally {
  struct {
    const char *name; /* of a remark; not owned */
    unsigned n;
  } entry[TSR_MAX_TALLY]; /* in the order of their first remark */
  int n;
};
void tsr_tally_add(struct tsr_tally *tally, const char *name);
/* Append `SOURCE operations=N NAME=N ..` to the file at PATH, a line that no other process can break. False if it can't. */
bool tsr_tally_append(const struct tsr_tally *tally, const char *path, const char *source, unsigned long operations);

#ifdef __cplusplus
}
#endif
#endif
