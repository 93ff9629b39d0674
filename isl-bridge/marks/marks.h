/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 3, marks: what a schedule tree says beside its order, as data: kinds and payloads, their text, their ids. What they
 * promise stands in marks.def; who makes such a promise is tree/, who proves it is check/. */
#ifndef TSR_MARKS_H
#define TSR_MARKS_H

#include "model/model.h"
#include "model/program.h"

/* Of lanes that run in lockstep: transposing more takes too much code. */
#define TSR_MAX_LANES 16
#define TSR_MAX_LANE_VECTORS 4
/* The word of the only mark that the scheduler makes (marks.def, sched/diamond.c). */
#define TSR_CONCURRENT_START "concurrent-start"

/* ---- marks.c; what marks mean stands in marks.def ------------------------------------------------------- */

/* The id of MARK, whose number and depth tell it from others of the same text. The same one for the same mark, in SCOP and
 * in all programs made of it. */
__isl_give isl_id *tsr_mark_id(__isl_keep struct tsr_scop *scop, const struct tsr_mark *mark);
/* What ID of a node is; NULL: no mark, or none that anyone knows. */
const struct tsr_mark *tsr_id_mark(__isl_keep isl_id *id);
/* MARK above NODE; the one of KIND that is but its word. The result stands at the mark. */
__isl_give isl_schedule_node *tsr_mark_insert(__isl_take isl_schedule_node *node, __isl_keep struct tsr_scop *scop,
                                              const struct tsr_mark *mark);
__isl_give isl_schedule_node *tsr_mark_insert_word(__isl_take isl_schedule_node *node, enum tsr_mark_kind kind);
/* TREE, which somebody may have read from text, where all marks whose text is one are such. */
__isl_give isl_schedule *tsr_tree_adopt_marks(__isl_take isl_schedule *tree, __isl_keep struct tsr_scop *scop);
/* The same for PROGRAM's tree and schedule. That changes nothing of what PROGRAM means. */
isl_stat tsr_program_adopt_marks(__isl_keep struct tsr_program *program);
/* Is NODE a mark of KIND? Or one for threads? */
bool tsr_node_is_mark(__isl_keep isl_schedule_node *node, enum tsr_mark_kind kind);
/* Has TREE a mark of KIND? */
bool tsr_tree_has_mark(__isl_keep isl_schedule *tree, enum tsr_mark_kind kind);
bool tsr_node_is_for_threads(__isl_keep isl_schedule_node *node);

/* ---- mark_text.c --------------------------------------------------------------------------------------- */

const char *tsr_mark_word(enum tsr_mark_kind kind);
/* The text of MARK, malloc'd. */
char *tsr_mark_write(const struct tsr_mark *mark);
/* The mark of TEXT, number and depth 0: a copy of one's own, to be freed in one piece. NULL: it is none. */
struct tsr_mark *tsr_mark_read(const char *text);
/* The same, static, if TEXT is one word. */
const struct tsr_mark *tsr_mark_of_word(const char *text);

#endif
