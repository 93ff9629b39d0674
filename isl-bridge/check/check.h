/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floor 9, check: the independent legality checker. It asks nobody who made the program: of the floors before it, it uses
 * support/, model/, marks/, deps/ and access/ alone, and links with these (test/unit/proof.c). */
#ifndef TSR_CHECK_H
#define TSR_CHECK_H

#include "access/access.h"
#include "marks/marks.h"

/* ---- check.c ------------------------------------------------------------------------------------------- */

/* Which updates of reductions on MEMORY arrays may run in another order, each as a whole? None; exact ones, also of several
 * statements; those, and with reassoc those of one statement. */
enum tsr_relaxation { TSR_STRICT, TSR_EXACT, TSR_RELAXED };
/* Does PROGRAM do what its original does? All writes that last are made, in an order that keeps each dependence; each read
 * gets the value that the original reads there, from memory or from a buffer; marks promise what is so. As
 * tsr_check_schedule. */
isl_bool tsr_check_program(__isl_keep struct tsr_program *program, enum tsr_relaxation relaxed, char **why);
/* Is TREE (any schedule tree over SCOP's domain, with marks) a legal execution of SCOP?  Computed from accesses and the
 * original schedule by a direct relation, not from tsr_deps.  isl_bool_false: WHY (may be NULL) gets a malloc'd
 * sentence: the statement pair, the array and an example instance. */
isl_bool tsr_check_schedule(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, char **why);
/* The same, but updates of one reduction with reassoc on a MEMORY array may run in another order, each as a whole; those of
 * several statements if they are exact. */
isl_bool tsr_check_schedule_relaxed(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, char **why);
/* The same for those with exact alone. */
isl_bool tsr_check_schedule_exact(__isl_keep struct tsr_scop *scop, __isl_keep isl_schedule *tree, char **why);

/* ---- check_marks.c: what marks promise ----------------------------------------------------------------- */

/* Is what is below the mark NODE, of PROGRAM's tree, as that promises? isl_bool_false: *WHY, if it was NULL, gets a malloc'd
 * sentence. */
isl_bool tsr_check_mark(__isl_keep struct tsr_program *program, __isl_keep isl_schedule_node *node, char **why);

#endif
