/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Remarks: one line a nest, with its source line, what was done or why not, the offending expression, one suggestion. */
#include "read/control/control_tree.h"
#include "read/scop_model.h"
#include <ctype.h>
#include <isl/id.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *text, *hint;
} reasons[] = {
    {"", "", ""},
#define REASON(NAME, TEXT, HINT) {"Rejected" #NAME, TEXT, HINT},
#include "reasons.def"
#undef REASON
};

/* May an operand end with C? */
static bool is_operand_end(char c)
{
  return c == '_' || c == ')' || c == ']' || isalnum((unsigned char)c);
}

/* Clang gives binary and postfix operators the column of the operator: go back to where the expression, or else the
 * statement, begins in TEXT. */
static const char *expression_begin(const char *text, const char *at)
{
  const char *before = at;
  while (before > text && before[-1] == ' ')
    before--;
  if (is_operand_end(*at) || *at == '(' || before == text || !is_operand_end(before[-1]))
    return at;
  int depth = 0;
  for (; at > text && !strchr(";{}", at[-1]); at--) {
    depth += at[-1] == ')' || at[-1] == ']';
    depth -= at[-1] == '(' || at[-1] == '[';
    if (depth < 0)
      break;
  }
  return at + strspn(at, " \t");
}

/* The expression or statement at COLUMN (from 1) of TEXT, up to its end or that of the line. */
static char *expression_at(const char *text, unsigned column)
{
  const char *from = expression_begin(text, text + column - 1);
  int depth = 0;
  size_t n = 0;
  for (; from[n] && !strchr("\r\n{}", from[n]) && !(from[n] == ';' && !depth); n++) {
    depth += from[n] == '(' || from[n] == '[';
    depth -= from[n] == ')' || from[n] == ']';
    if (depth < 0)
      break;
  }
  while (n && from[n - 1] == ' ')
    n--;
  return n ? strndup(from, n) : NULL;
}

/* What stands at LOCATION in its source file; NULL if the file can't be read. */
static char *source_text(LLVMMetadataRef location)
{
  const char *file, *dir;
  unsigned line, column;
  char path[4096], *text = NULL, *result = NULL;
  size_t size = 0;
  if (!tsr_location(location, &file, &dir, &line, &column) || !line || !column)
    return NULL;
  snprintf(path, sizeof(path), "%s%s%s", *file == '/' ? "" : dir, *file == '/' ? "" : "/", file);
  FILE *in = fopen(path, "r");
  if (!in)
    return NULL;
  for (unsigned at = 1; at <= line; at++)
    if (getline(&text, &size, in) < 0)
      break;
    else if (at == line && strlen(text) >= column)
      result = expression_at(text, column);
  free(text);
  fclose(in);
  return result;
}

/* The function that INST calls; NULL: it is no call of one. */
static const char *callee_name(LLVMValueRef inst)
{
  size_t n;
  if (!inst || !LLVMIsACallInst(inst) || !LLVMIsAFunction(LLVMGetCalledValue(inst)))
    return NULL;
  return LLVMGetValueName2(LLVMGetCalledValue(inst), &n);
}

/* What is wrong, as the user wrote it where possible, else a name, else the instruction. */
static char *offender(struct tsr_model *m)
{
  if (!m->culprit)
    return m->detail ? strdup(m->detail) : NULL;
  char *text = source_text(tsr_inst_location(m->culprit));
  if (text)
    return text;
  if (callee_name(m->culprit))
    return strdup(callee_name(m->culprit));
  char *ir = LLVMPrintValueToString(m->culprit);
  text = strdup(ir + strspn(ir, " "));
  LLVMDisposeMessage(ir);
  return text;
}

LLVMMetadataRef tsr_node_location(const struct tsr_node *node)
{
  if (node->kind == TSR_NODE_LOOP && tsr_loop_location(node->loop))
    return tsr_loop_location(node->loop);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < node->body[k].n; i++)
      if (tsr_node_has_loop(node->body[k].nodes[i])) {
        LLVMMetadataRef inner = tsr_node_location(node->body[k].nodes[i]);
        if (inner)
          return inner;
      }
  return node->kind == TSR_NODE_BLOCK ? NULL : tsr_inst_location(LLVMGetBasicBlockTerminator(node->block));
}

const char *tsr_report_rejected(struct tsr_model *m, LLVMValueRef original, const struct tsr_node *node)
{
  if (!tsr_remarks_are_wanted(original))
    return reasons[m->reason].name;
  char *what = offender(m);
  const struct tsr_remark_arg args[] = {{"", "loop nest not modelled: "},
                                        {"Reason", reasons[m->reason].text},
                                        {"", what ? ": " : ""},
                                        {"Expression", what ? what : ""},
                                        {"", "; suggestion: "},
                                        {"Hint", reasons[m->reason].hint},
                                        {"", " (scalar evolution: "},
                                        {"Evolution", m->detail},
                                        {"", ")"}};
  tsr_remark(original, tsr_node_location(node), TSR_REMARK_MISSED, reasons[m->reason].name, args,
             m->detail && m->culprit ? 9 : 6);
  free(what);
  return reasons[m->reason].name;
}

void tsr_report_split(struct tsr_model *m, LLVMValueRef original, const struct tsr_node *node, const struct tsr_result *plan)
{
  if (!tsr_remarks_are_wanted(original))
    return;
  bool budget = plan ? plan->verdict == TSR_BUDGET : m->out_of_budget;
  char *what = budget || plan ? NULL : offender(m);
  const char *stage = plan ? tsr_stage_name(plan->stage) : "model";
  const char *reason = budget ? "the operation budget ran out" : plan ? plan->why : reasons[m->reason].text;
  const char *hint = budget ? "raise -tessera-budget" : plan ? NULL : reasons[m->reason].hint;
  const struct tsr_remark_arg args[] = {
      {"", plan || budget ? "SCoP split, each nest is looked at alone from here on: " : "SCoP ends here, others begin: "},
      {"Reason", reason ? reason : "no reason given"},
      {"", what ? ": " : ""},
      {"Expression", what ? what : ""},
      {"", plan || budget ? "; stage: " : ""},
      {"Stage", plan || budget ? stage : ""},
      {"", hint ? "; suggestion: " : ""},
      {"Hint", hint ? hint : ""}};
  tsr_remark(original, tsr_node_location(node), TSR_REMARK_MISSED, "Split", args, 8);
  free(what);
}

const char *tsr_report_budget(LLVMValueRef original, const struct tsr_node *node, const char *stage)
{
  const struct tsr_remark_arg args[] = {{"", "loop nest left as it is, the operation budget ran out; stage: "},
                                        {"Stage", stage},
                                        {"", "; suggestion: raise -tessera-budget"}};
  tsr_remark(original, tsr_node_location(node), TSR_REMARK_MISSED, "BudgetExhausted", args, 3);
  return "BudgetExhausted";
}

const char *tsr_report_no_gpu(struct tsr_model *m, LLVMValueRef original, const char *why)
{
  const struct tsr_remark_arg args[] = {{"", "loop nest not for a GPU: "}, {"Reason", why}};
  tsr_remark(original, tsr_node_location(m->nodes[0]), TSR_REMARK_MISSED, "NoGPU", args, 2);
  return "NoGPU";
}

const char *tsr_report_untouched(LLVMValueRef original, tsr_loop loop, enum tsr_reason reason, const char *what)
{
  const struct tsr_remark_arg args[] = {
      {"", "loop nest not modelled: "}, {"Reason", reasons[reason].text}, {"", ": "}, {"Expression", what},
      {"", "; suggestion: "},           {"Hint", reasons[reason].hint}};
  tsr_remark(original, tsr_loop_location(loop), TSR_REMARK_MISSED, reasons[reason].name, args, 6);
  return reasons[reason].name;
}

/* Loops around a statement, at most */
static int depth_of(struct tsr_model *m)
{
  int depth = 0;
  for (int i = 0; i < m->n_stmt; i++)
    depth = m->stmts[i].n_loop > depth ? m->stmts[i].n_loop : depth;
  return depth;
}

const char *tsr_report_modelled(struct tsr_model *m, LLVMValueRef original)
{
  char stmts[16], depth[16], arrays[16], checks[16];
  int n_memory = 0;
  for (int i = 0; i < m->n_array; i++)
    n_memory += m->arrays[i].kind == TSR_ARRAY_MEMORY;
  snprintf(stmts, sizeof(stmts), "%d", m->n_stmt);
  snprintf(depth, sizeof(depth), "%d", depth_of(m));
  snprintf(arrays, sizeof(arrays), "%d", n_memory);
  snprintf(checks, sizeof(checks), "%d", m->n_alias_pair);
  char *assumed = tsr_remarks_are_wanted(original) ? isl_set_to_str(m->scop->assumed) : NULL;
  const struct tsr_remark_arg args[] = {{"", "loop nest modelled: "},
                                        {"Statements", stmts},
                                        {"", " statements, depth "},
                                        {"Depth", depth},
                                        {"", ", "},
                                        {"Arrays", arrays},
                                        {"", " arrays, "},
                                        {"AliasChecks", checks},
                                        {"", " pairs checked for overlap, assuming "},
                                        {"Assumptions", assumed ? assumed : "?"}};
  tsr_remark(original, tsr_node_location(m->nodes[0]), TSR_REMARK_ANALYSIS, "Modelled", args, 10);
  free(assumed);
  return "Modelled";
}

/* What the tree does, in words: counts marks. */
struct shape {
  int parallel, vector, registers, packs; /* loops; register tiles; packed operands */
  int kernels;                            /* of a GPU */
  struct tsr_register_tile tile;          /* the last of these */
  int laned;                              /* outer loops whose iterations are lanes */
  struct tsr_lockstep lockstep;           /* the last of them */
  int rows;                               /* groups of nests that are fused row by row */
  int streams;                            /* loops that store past the caches */
};

/* Count NODE, if it is a mark. */
static isl_bool count_node(isl_schedule_node *node, void *user)
{
  struct shape *shape = user;
  const struct tsr_mark *mark = tsr_node_mark(node);
  shape->parallel += tsr_mark_is_for_threads(mark);
  shape->vector += tsr_mark_is(mark, TSR_MARK_VECTOR) || tsr_mark_is(mark, TSR_MARK_STREAM);
  shape->streams += tsr_mark_is(mark, TSR_MARK_STREAM);
  shape->kernels += tsr_mark_is(mark, TSR_MARK_KERNEL);
  shape->rows += tsr_mark_is(mark, TSR_MARK_ROWS);
  if (tsr_mark_is(mark, TSR_MARK_LOCKSTEP)) {
    shape->laned++;
    shape->lockstep = mark->lockstep;
  }
  if (tsr_mark_is(mark, TSR_MARK_REGISTERS)) {
    shape->registers++;
    shape->tile = mark->tile;
  }
  return isl_bool_true;
}

const char *tsr_report_transformed(LLVMValueRef original, LLVMMetadataRef location, const struct tsr_result *result)
{
  struct shape shape = {0};
  char kernels[16] = "", vector[16], parallel[16], before[32], after[32], registers[80] = "", packs[40] = "", lanes[80] = "";
  char streams[16];
  char *sizes = result->sizes ? tsr_sizes_text(result->sizes) : NULL;
  const struct tsr_sizes *test = result->variant[0].condition.sizes;
  char *large = test ? tsr_sizes_text(test) : NULL;
  isl_schedule_foreach_schedule_node_top_down(result->variant[0].tree, count_node, &shape);
  const struct tsr_program *packed = result->variant[0].panels ? NULL : result->variant[0].packed;
  shape.packs = packed ? packed->scop->n_array - packed->original->n_array : 0;
  if (result->n_variant > 1 && result->variant[result->n_variant - 1].condition.gpu) {
    struct shape gpu = {0};
    isl_schedule_foreach_schedule_node_top_down(result->variant[result->n_variant - 1].tree, count_node, &gpu);
    shape.kernels = gpu.kernels;
  }
  if (shape.kernels)
    snprintf(kernels, sizeof(kernels), "%d", shape.kernels);
  snprintf(vector, sizeof(vector), "%d", shape.vector);
  snprintf(parallel, sizeof(parallel), "%d", shape.parallel);
  snprintf(before, sizeof(before), "%.3g", result->profit.before);
  snprintf(after, sizeof(after), "%.3g", result->profit.after);
  if (result->commanded) /* nobody has asked what it costs */
    *before = *after = 0;
  snprintf(streams, sizeof(streams), "%d", shape.streams);
  if (shape.registers)
    snprintf(registers, sizeof(registers), "%dx%d vectors of %d", shape.tile.rows, shape.tile.vectors, shape.tile.lanes);
  if (shape.packs)
    snprintf(packs, sizeof(packs), " with %d packed operand%s", shape.packs, shape.packs > 1 ? "s" : "");
  if (shape.laned)
    snprintf(lanes, sizeof(lanes), "%d outer loop%s in lanes of %dx%d", shape.laned, shape.laned > 1 ? "s" : "",
             shape.lockstep.vectors, shape.lockstep.lanes);
  const struct tsr_remark_arg args[] = {
      {"", result->commanded ? "loop nest transformed: as commanded, " : "loop nest transformed: rescheduled, "},
      {"VectorLoops", vector},
      {"", " loops marked independent, "},
      {"ParallelLoops", parallel},
      {"", " parallel"},
      {"", shape.registers ? ", register tiles of " : ""},
      {"RegisterTiles", registers},
      {"PackedOperands", packs},
      {"", shape.laned ? ", " : ""},
      {"OuterLoops", lanes},
      {"", shape.rows ? ", nests fused row by row" : ""},
      {"", shape.streams ? ", stores past the caches where there is much data in " : ""},
      {"Streams", shape.streams ? streams : ""},
      {"", shape.kernels ? "; kernels for a GPU: " : ""},
      {"Kernels", kernels},
      {"", result->commanded ? "" : "; estimated cost "},
      {"CostBefore", before},
      {"", result->commanded ? "" : " before, "},
      {"CostAfter", after},
      {"", result->commanded ? "" : " after"},
      {"", sizes ? "; runs where " : ""},
      {"Sizes", sizes ? sizes : ""},
      {"", large ? ", with tiles or lanes where " : ""},
      {"LargeSizes", large ? large : ""},
      {"", shape.parallel ? "; link with -lgomp or -lomp" : ""},
      {"", shape.kernels ? "; link with -ltessera_rt" : ""}};
  tsr_remark(original, location, TSR_REMARK_PASSED, "Transformed", args, sizeof(args) / sizeof(*args));
  free(sizes);
  free(large);
  return "Transformed";
}

/* The candidates that cost least, at most so many; the one that was taken is always among them. */
#define MOST_CANDIDATES 8

/* How many of RESULT's candidates cost less than number I, or as much and come first? */
static int rank(const struct tsr_result *result, int i)
{
  int n = 0;
  for (int k = 0; k < result->n_candidate; k++)
    n += result->candidate[k].cost < result->candidate[i].cost ||
         (result->candidate[k].cost == result->candidate[i].cost && k < i);
  return n;
}

void tsr_report_candidates(struct tsr_model *m, LLVMValueRef original, const struct tsr_result *result)
{
  char text[2048] = "", before[32];
  if (result->n_candidate == 0)
    return;
  for (int r = 0; r < result->n_candidate; r++)
    for (int i = 0; i < result->n_candidate; i++) {
      size_t used = strlen(text);
      if (rank(result, i) != r || (r >= MOST_CANDIDATES && i != result->taken) || used > sizeof(text) - 256)
        continue;
      snprintf(text + used, sizeof(text) - used, "%s%s%s %.3g", used ? "; " : "", i == result->taken ? "(taken) " : "",
               result->candidate[i].what, result->candidate[i].cost);
    }
  snprintf(before, sizeof(before), "%.3g", result->before.cost);
  const struct tsr_remark_arg args[] = {{"", "compared, by estimated cost"},
                                        {"", result->before.cost > 0 ? ", " : ""},
                                        {"Original", result->before.cost > 0 ? before : ""},
                                        {"", result->before.cost > 0 ? " as it is: " : ": "},
                                        {"Candidates", text}};
  tsr_remark(original, tsr_node_location(m->nodes[0]), TSR_REMARK_ANALYSIS, "Candidates", args, 5);
}

void tsr_report_influence(struct tsr_model *m, LLVMValueRef original, const char *trace)
{
  char *text = strdup(trace);
  for (char *c = text; c && *c; c++)
    if (*c == '\n')
      *c = c[1] ? ';' : 0;
  const struct tsr_remark_arg args[] = {{"", "steering: "}, {"Path", text ? text : trace}};
  tsr_remark(original, tsr_node_location(m->nodes[0]), TSR_REMARK_ANALYSIS, "Influence", args, 2);
  free(text);
}

const char *tsr_report_rows(LLVMValueRef original, LLVMMetadataRef location)
{
  const struct tsr_remark_arg args[] = {{"", "loop over a flat index is one over rows, without divisions"}};
  tsr_remark(original, location, TSR_REMARK_PASSED, "Rows", args, 1);
  return "Rows";
}

const char *tsr_report_broken(LLVMValueRef original, LLVMMetadataRef location, const char *why)
{
  const struct tsr_remark_arg args[] = {
      {"", "loop nest left as it is, the code for its function is broken (please report this): "}, {"Reason", why}};
  tsr_remark(original, location, TSR_REMARK_MISSED, "Broken", args, 2);
  return "Broken";
}

const char *tsr_report_left(struct tsr_model *m, LLVMValueRef original, const struct tsr_result *result)
{
  const char *why = result->why ? result->why : "no reason given", *name, *text;
  LLVMMetadataRef location = tsr_node_location(m->nodes[0]);
  switch (result->verdict) {
  case TSR_UNPROFITABLE:
    name = "Unprofitable";
    text = "loop nest left as it is: ";
    break;
  case TSR_BUDGET:
    name = "BudgetExhausted";
    text = "loop nest left as it is, the operation budget ran out: ";
    break;
  case TSR_CHECK_FAILED:
    name = "CheckFailed";
    text = "loop nest left as it is, the legality check failed (please report this): ";
    break;
  case TSR_BAD_INFLUENCE:
    name = "RejectedInfluence";
    text = "loop nest left as it is, the influence tree or strategy can't be used: ";
    break;
  case TSR_BAD_COMMANDS:
    name = "RejectedCommands";
    text = "loop nest left as it is, commands are refused: ";
    break;
  default:
    name = "RejectedIsl";
    text = "loop nest left as it is, isl failed: ";
  }
  bool compared = result->profit.before > 0 && result->profit.after > 0;
  char before[32] = "", after[32] = "";
  if (compared) {
    snprintf(before, sizeof(before), "%.3g", result->profit.before);
    snprintf(after, sizeof(after), "%.3g", result->profit.after);
  }
  const struct tsr_remark_arg args[] = {{"", text},
                                        {"Reason", why},
                                        {"", "; stage: "},
                                        {"Stage", tsr_stage_name(result->stage)},
                                        {"", result->verdict == TSR_BUDGET ? "; suggestion: raise -tessera-budget" : ""},
                                        {"", compared ? "; estimated cost " : ""},
                                        {"CostBefore", before},
                                        {"", compared ? " as it is, " : ""},
                                        {"CostAfter", after},
                                        {"", compared ? " at best" : ""}};
  tsr_remark(original, location, TSR_REMARK_MISSED, name, args, 10);
  return name;
}
