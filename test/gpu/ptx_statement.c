/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One instruction: `[@[!]%p] opcode{.suffix} operands;` -> struct ptx_inst. Arithmetic is looked up in the tables of
 * ptx_integer.c and ptx_float.c, by its opcode without modifiers; all that has operands of its own kind has a function here.
 */
#include "ptx.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- types and operands */

static const struct {
  const char *name;
  enum ptx_type type;
  unsigned size;
} types[] = {
    {"b8", PTX_B8, 1},   {"b16", PTX_B16, 2},   {"b32", PTX_B32, 4}, {"b64", PTX_B64, 8},   {"u8", PTX_U8, 1},
    {"u16", PTX_U16, 2}, {"u32", PTX_U32, 4},   {"u64", PTX_U64, 8}, {"s8", PTX_S8, 1},     {"s16", PTX_S16, 2},
    {"s32", PTX_S32, 4}, {"s64", PTX_S64, 8},   {"f16", PTX_F16, 2}, {"bf16", PTX_BF16, 2}, {"f32", PTX_F32, 4},
    {"f64", PTX_F64, 8}, {"pred", PTX_PRED, 1},
};
#define N_TYPE (sizeof types / sizeof *types)

enum ptx_type ptx_type_of(const char *name)
{
  for (size_t i = 0; i < N_TYPE; i++)
    if (!strcmp(types[i].name, name))
      return types[i].type;
  return PTX_NO_TYPE;
}

unsigned ptx_type_size(enum ptx_type type)
{
  for (size_t i = 0; i < N_TYPE; i++)
    if (types[i].type == type)
      return types[i].size;
  return 0;
}

bool ptx_type_is_signed(enum ptx_type type)
{
  return type >= PTX_S8 && type <= PTX_S64;
}

bool ptx_type_is_float(enum ptx_type type)
{
  return type >= PTX_F16 && type <= PTX_F64;
}

static const struct {
  const char *name;
  uint32_t row;
} specials[] = {
    {"%tid.x", PTX_ROW_TID},
    {"%tid.y", PTX_ROW_TID + 1},
    {"%tid.z", PTX_ROW_TID + 2},
    {"%ntid.x", PTX_ROW_NTID},
    {"%ntid.y", PTX_ROW_NTID + 1},
    {"%ntid.z", PTX_ROW_NTID + 2},
    {"%ctaid.x", PTX_ROW_CTAID},
    {"%ctaid.y", PTX_ROW_CTAID + 1},
    {"%ctaid.z", PTX_ROW_CTAID + 2},
    {"%nctaid.x", PTX_ROW_NCTAID},
    {"%nctaid.y", PTX_ROW_NCTAID + 1},
    {"%nctaid.z", PTX_ROW_NCTAID + 2},
    {"%laneid", PTX_ROW_LANE},
    {"%warpid", PTX_ROW_WARP},
    {"%nwarpid", PTX_ROW_NWARP},
    {"%lanemask_eq", PTX_ROW_MASK_EQ},
    {"%lanemask_le", PTX_ROW_MASK_LE},
    {"%lanemask_lt", PTX_ROW_MASK_LT},
    {"%lanemask_ge", PTX_ROW_MASK_GE},
    {"%lanemask_gt", PTX_ROW_MASK_GT},
    {"%clock", PTX_ROW_CLOCK},
    {"%clock64", PTX_ROW_CLOCK},
    {"%globaltimer", PTX_ROW_CLOCK},
    {"%smid", PTX_ROW_ZERO},
    {"%gridid", PTX_ROW_ZERO},
    {"%dynamic_smem_size", PTX_ROW_DYNAMIC_SHARED},
    {"%total_smem_size", PTX_ROW_TOTAL_SHARED},
    {"_", PTX_ROW_SINK},
};

/* The row of a register; 0: none of that name */
static uint32_t find_register(struct ptx_parser *p, const char *name)
{
  for (int i = p->n_symbol - 1; i >= 0; i--) {
    const struct ptx_symbol *s = &p->symbol[i];
    if (s->kind == PTX_SYM_REGISTER && !strcmp(s->name, name))
      return (uint32_t)s->value;
    size_t n = s->kind == PTX_SYM_RANGE ? strlen(s->name) : 0;
    if (!n || strncmp(s->name, name, n) || !isdigit((unsigned char)name[n]))
      continue;
    char *end;
    unsigned long number = strtoul(name + n, &end, 10);
    if (!*end && number < s->size)
      return (uint32_t)(s->value + number);
  }
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (!strcmp(specials[i].name, name))
      return specials[i].row;
  return 0;
}

/* The row of a constant of the function */
static uint32_t constant(struct ptx_parser *p, uint64_t value, int variable)
{
  struct ptx_function *f = p->f;
  for (int i = f->n_constant - 1; i >= 0; i--)
    if (f->constant[i].value == value && f->constant[i].variable == variable)
      return f->constant_row[i];
  int size = p->size_constant;
  if (!ptx_grow(&f->constant, f->n_constant, &size, sizeof *f->constant) ||
      !ptx_grow(&f->constant_row, f->n_constant, &p->size_constant, sizeof *f->constant_row))
    return ptx_fail(&p->t, PTX_OUT_OF_MEMORY, "no memory"), 0;
  f->constant[f->n_constant] = (struct ptx_constant){value, variable};
  return f->constant_row[f->n_constant++] = PTX_ROWS + f->rows++;
}

/* The row of a register, number or address */
static uint32_t operand(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  uint32_t row = find_register(p, t->word);
  if (row || ptx_is(t, "%smid") || ptx_is(t, "%gridid"))
    return ptx_next(t), row;
  if (ptx_accept(t, "WARP_SZ"))
    return constant(p, PTX_LANES, -1);
  if (ptx_is(t, "-") || isdigit((unsigned char)t->word[0]))
    return constant(p, ptx_number(t), -1);
  const struct ptx_symbol *s = ptx_symbol_find(p, t->word);
  if (!s)
    return ptx_fail(t, PTX_INVALID_PTX, "the operand '%s'", t->word), 0;
  int variable = s->kind == PTX_SYM_SHARED ? (int)s->value : s->kind == PTX_SYM_LOCAL ? -2 : -1;
  uint64_t value = s->kind == PTX_SYM_SHARED ? 0 : s->value;
  ptx_next(t);
  return ptx_accept(t, "+") ? constant(p, value + ptx_number(t), variable) : constant(p, value, variable);
}

/* `{a, b, ..}` or one operand */
static bool operands(struct ptx_parser *p, struct ptx_inst *i)
{
  struct ptx_text *t = &p->t;
  if (!ptx_accept(t, "{")) {
    i->v[0] = operand(p);
    i->n = 1;
    return !p->m->code;
  }
  do {
    if (i->n == PTX_VECTOR)
      return ptx_fail(t, PTX_INVALID_PTX, "too long a vector");
    i->v[i->n++] = operand(p);
  } while (ptx_accept(t, ","));
  return ptx_expect(t, "}");
}

/* `[base+offset]` */
static bool address(struct ptx_parser *p, struct ptx_inst *i)
{
  struct ptx_text *t = &p->t;
  if (!ptx_expect(t, "["))
    return false;
  i->s[0] = operand(p);
  if (ptx_accept(t, "+"))
    i->offset = (int64_t)ptx_number(t);
  else if (ptx_is(t, "-"))
    i->offset = (int64_t)ptx_number(t);
  return ptx_expect(t, "]");
}

/* N operands behind commas, the first without, from i->s[AT] on */
static bool sources(struct ptx_parser *p, struct ptx_inst *i, int at, int n)
{
  for (int k = 0; k < n; k++) {
    if (k && !ptx_expect(&p->t, ","))
      return false;
    i->s[at + k] = operand(p);
  }
  return !p->m->code;
}

/* `d, ` or `d|d2, ` */
static bool result(struct ptx_parser *p, struct ptx_inst *i)
{
  i->d = operand(p);
  i->d2 = ptx_accept(&p->t, "|") ? operand(p) : PTX_ROW_SINK;
  return ptx_expect(&p->t, ",");
}

/* ---- suffixes */

/* An opcode, taken apart at its dots */
struct suffixes {
  char text[256];
  int n;
  const char *part[24];
};

/* OPCODE -> parts; false: too long */
static bool take_apart(struct suffixes *s, const char *opcode)
{
  if (strlen(opcode) >= sizeof s->text)
    return false;
  strcpy(s->text, opcode);
  s->n = 0;
  for (char *at = strtok(s->text, "."); at && s->n < 24; at = strtok(NULL, "."))
    s->part[s->n++] = at;
  return s->n > 0;
}

/* Is it one of these words, with blanks between? */
static bool is_one_of(const char *part, const char *words)
{
  size_t n = strlen(part);
  for (const char *at = words; (at = strstr(at, part)); at += n)
    if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
      return true;
  return false;
}

/* Takes a rounding mode or other modifier; false: it is none. */
static bool modifier(struct ptx_inst *i, const char *part)
{
  static const char *const rounding[] = {"rn", "rz", "rm", "rp", "rna"}, *const integral[] = {"rni", "rzi", "rmi", "rpi"};
  for (uint8_t k = 0; k < 5; k++)
    if (!strcmp(part, rounding[k]))
      return i->rounding = k, true;
  for (uint8_t k = 0; k < 4; k++)
    if (!strcmp(part, integral[k]))
      return i->rounding = k, i->integral = true;
  i->ftz |= !strcmp(part, "ftz");
  i->sat |= !strcmp(part, "sat");
  return is_one_of(part, "ftz sat");
}

/* The suffixes of ld, st, atom and red that say where and how; false: it is another. */
static bool memory_suffix(struct ptx_inst *i, const char *part)
{
  static const char *const spaces[] = {"", "global", "shared", "local", "param", "const"};
  for (uint8_t k = 1; k < 6; k++) {
    size_t n = strlen(spaces[k]);
    if (!strncmp(part, spaces[k], n) && (!part[n] || part[n] == ':'))
      return i->space = k, true;
  }
  if (part[0] == 'v' && isdigit((unsigned char)part[1]))
    return true; /* the braces say it */
  i->atomic |= is_one_of(part, "volatile relaxed acquire release acq_rel mmio");
  i->nc |= !strcmp(part, "nc");
  return i->atomic || i->nc || !strncmp(part, "L1::", 4) || !strncmp(part, "L2::", 4) ||
         is_one_of(part, "weak cta gpu sys cluster ca cg cs cv lu wb wt noftz");
}

/* ---- instructions by the kind of their operands */

/* `ld.. d, [a]`; `st.. [a], b` */
static bool parse_memory(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  bool store = !strcmp(s->part[0], "st");
  i->run = store ? ptx_run_store : ptx_run_load;
  for (int k = 1; k < s->n; k++) {
    enum ptx_type type = ptx_type_of(s->part[k]);
    i->type = type ? type : i->type;
    if (!type && !memory_suffix(i, s->part[k]))
      return false;
  }
  if (!i->type)
    return false;
  return store ? address(p, i) && ptx_expect(&p->t, ",") && operands(p, i)
               : operands(p, i) && ptx_expect(&p->t, ",") && address(p, i);
}

/* `atom.. d, [a], b{, c}`; `red.. [a], b` */
static bool parse_atomic(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  const char *name = NULL;
  bool good = true;
  i->d = PTX_ROW_SINK;
  i->run = ptx_run_atomic;
  for (int k = 1; k < s->n; k++) {
    enum ptx_type type = ptx_type_of(s->part[k]);
    i->type = type ? type : i->type;
    if (!type && is_one_of(s->part[k], "add min max cas exch and or xor inc dec"))
      name = s->part[k];
    else if (!type)
      good = good && memory_suffix(i, s->part[k]);
  }
  if (!good || !name || !ptx_atomic_known(name, i->type, &i->how))
    return false;
  if (!strcmp(s->part[0], "atom") && !result(p, i))
    return false;
  i->atomic = true;
  return address(p, i) && ptx_expect(&p->t, ",") && sources(p, i, 1, strcmp(name, "cas") ? 1 : 2);
}

/* `mov d, a`; `mov d, {a, b}`; `mov {a, b}, d` */
static bool parse_mov(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  if (s->n != 2 || !(i->type = ptx_type_of(s->part[1])))
    return false;
  bool unpack = ptx_is(&p->t, "{");
  if (unpack) {
    i->run = ptx_run_unpack;
    return operands(p, i) && ptx_expect(&p->t, ",") && sources(p, i, 0, 1);
  }
  if (!result(p, i))
    return false;
  i->run = ptx_is(&p->t, "{") ? ptx_run_pack : ptx_run_move;
  if (!operands(p, i))
    return false;
  i->s[0] = i->v[0];
  return true;
}

/* `cvt{.rounding}{.ftz}{.sat}.TO.FROM d, a` */
static bool parse_cvt(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  for (int k = 1; k < s->n - 2; k++)
    if (!modifier(i, s->part[k]))
      return false;
  if (s->n < 3)
    return false;
  char to[16];
  snprintf(to, sizeof to, "%s", s->part[s->n - 2]);
  size_t length = strlen(to);
  bool two = length > 2 && !strcmp(to + length - 2, "x2"); /* d = {b, a} */
  if (two)
    to[length - 2] = 0;
  i->type = ptx_type_of(to);
  i->from = ptx_type_of(s->part[s->n - 1]);
  i->run = two ? ptx_run_convert_two : ptx_run_convert;
  return i->type && i->from && result(p, i) && sources(p, i, 0, two ? 2 : 1);
}

/* `cvta{.to}.space.u64 d, a`: addresses are the same everywhere */
static bool parse_cvta(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  i->run = ptx_run_move;
  return s->n >= 3 && result(p, i) && sources(p, i, 0, 1);
}

/* `isspacep.space p, a` */
static bool parse_isspacep(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  i->run = ptx_run_is_space;
  return s->n == 2 && memory_suffix(i, s->part[1]) && result(p, i) && sources(p, i, 0, 1);
}

/* `shfl.sync.mode.b32 d|p, a, b, c, mask`; without .sync all lanes that are there */
static bool parse_shfl(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  bool sync = s->n == 4 && !strcmp(s->part[1], "sync");
  if (!sync && s->n != 3)
    return false;
  i->how = (uint8_t)s->part[s->n - 2][0];
  i->flow = PTX_TOGETHER;
  i->run = ptx_run_shuffle;
  i->s[4] = constant(p, ~0u, -1);
  if (!result(p, i) || !sources(p, i, 0, 3))
    return false;
  if (sync && ptx_expect(&p->t, ","))
    i->s[4] = operand(p);
  return !p->m->code;
}

/* `vote.sync.mode.type d, a, mask` */
static bool parse_vote(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  bool sync = s->n == 4 && !strcmp(s->part[1], "sync");
  const char *mode = s->n > 2 ? s->part[s->n - 2] : "";
  if (!is_one_of(mode, "all any uni ballot"))
    return false;
  i->how = (uint8_t)(mode[1] == 'l' ? '*' : mode[0]); /* all: '*' */
  i->flow = PTX_TOGETHER;
  i->run = ptx_run_vote;
  i->s[4] = constant(p, ~0u, -1);
  if (!result(p, i))
    return false;
  i->negated = ptx_accept(&p->t, "!");
  if (!sources(p, i, 0, 1))
    return false;
  if (sync && ptx_expect(&p->t, ","))
    i->s[4] = operand(p);
  return !p->m->code;
}

/* `bar.sync 0{, n}`, `barrier.sync`, `bar.warp.sync mask` */
static bool parse_barrier(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  bool warp = s->n == 3 && !strcmp(s->part[1], "warp") && !strcmp(s->part[2], "sync");
  bool sync = false;
  for (int k = 1; k < s->n; k++) {
    if (!is_one_of(s->part[k], "sync cta aligned warp"))
      return false;
    sync |= !strcmp(s->part[k], "sync");
  }
  i->run = ptx_run_nothing;
  i->flow = warp ? PTX_TOGETHER : PTX_BARRIER;
  i->s[warp ? 4 : 0] = operand(p);
  i->s[1] = !warp && ptx_accept(&p->t, ",") ? operand(p) : PTX_ROW_ZERO;
  return sync && !p->m->code;
}

/* `bra{.uni} label`, `brx.idx{.uni} a, table` */
static bool parse_branch(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  bool table = !strcmp(s->part[0], "brx");
  i->flow = table ? PTX_TABLE : PTX_BRANCH;
  if (table && (!sources(p, i, 0, 1) || !ptx_expect(&p->t, ",")))
    return false;
  i->target = ptx_label_find(p, p->t.word);
  return ptx_next(&p->t) && i->target >= 0;
}

/* One argument or result of a call: a .param variable of the caller's */
static bool parse_argument(struct ptx_parser *p, uint64_t *at, uint64_t *size)
{
  const struct ptx_symbol *s = ptx_symbol_find(p, p->t.word);
  if (!s || s->kind != PTX_SYM_LOCAL)
    return ptx_fail(&p->t, PTX_INVALID_PTX, "the argument '%s'", p->t.word);
  *at = s->value;
  *size = s->size;
  return ptx_next(&p->t);
}

/* `call{.uni} {(result),} name{, (arguments)}` */
static bool parse_call(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  (void)s;
  struct ptx_text *t = &p->t;
  struct ptx_call *all = realloc(p->m->call, (size_t)(p->m->n_call + 1) * sizeof *all);
  if (!all)
    return ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
  p->m->call = all;
  struct ptx_call *call = &all[p->m->n_call];
  *call = (struct ptx_call){.n = 0};
  i->flow = PTX_CALL;
  i->target = p->m->n_call++;
  if (ptx_accept(t, "(") &&
      (!parse_argument(p, &call->result.to, &call->result.size) || !ptx_expect(t, ")") || !ptx_expect(t, ",")))
    return false;
  call->name = strdup(t->word);
  ptx_next(t);
  if (!ptx_accept(t, ",") || !ptx_expect(t, "("))
    return !p->m->code;
  while (!ptx_accept(t, ")")) {
    if (call->n == PTX_ARGUMENTS)
      return ptx_fail(t, PTX_INVALID_PTX, "more than %d arguments", PTX_ARGUMENTS);
    struct ptx_copy *arg = &call->arg[call->n++];
    if (!parse_argument(p, &arg->from, &arg->size))
      return false;
    ptx_accept(t, ",");
  }
  return true;
}

/* ret, exit, trap, brkpt */
static bool parse_end(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  (void)p;
  i->flow = s->part[0][0] == 'r' ? PTX_RETURN : s->part[0][0] == 'e' ? PTX_EXIT : PTX_TRAP;
  return true;
}

/* What changes nothing here: fences, hints to caches */
static bool parse_nothing(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  (void)s;
  i->run = ptx_run_nothing;
  while (!ptx_is(&p->t, ";") && ptx_next(&p->t))
    ;
  return true;
}

/* `activemask.b32 d` */
static bool parse_activemask(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  i->run = ptx_run_active;
  i->d = operand(p);
  return s->n == 2;
}

/* The operation of that name in the tables; NULL: none */
static const struct ptx_op *find_op(const char *name)
{
  static const struct ptx_op *const tables[] = {ptx_integer_ops, ptx_float_ops};
  for (size_t k = 0; k < 2; k++)
    for (const struct ptx_op *op = tables[k]; op->names; op++)
      if (is_one_of(name, op->names))
        return op;
  return NULL;
}

/* `cp.async.ca.shared.global [a], [b], size{, bytes}`, `.commit_group`, `.wait_group n`, `.wait_all` */
static bool parse_async(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  if (s->n < 3 || strcmp(s->part[1], "async"))
    return false;
  if (!strcmp(s->part[2], "commit_group"))
    return i->run = ptx_run_async_commit, s->n == 3;
  if (is_one_of(s->part[2], "wait_group wait_all")) {
    bool all = !strcmp(s->part[2], "wait_all");
    i->run = ptx_run_async_wait;
    i->how = all ? 'a' : 'g';
    return s->n == 3 && (all || sources(p, i, 0, 1));
  }
  struct ptx_inst from = {.n = 0};
  i->run = ptx_run_async_copy;
  if (s->n < 5 || !is_one_of(s->part[2], "ca cg") || strncmp(s->part[3], "shared", 6) || strcmp(s->part[4], "global") ||
      !address(p, i) || !ptx_expect(&p->t, ",") || !address(p, &from) || !ptx_expect(&p->t, ",") || !sources(p, i, 2, 1))
    return false;
  i->s[1] = from.s[0];
  i->offset_from = from.offset;
  i->s[3] = ptx_accept(&p->t, ",") ? operand(p) : i->s[2];
  return true;
}

/* All else: `opcode d{|d2}, a, ..`; the tables know how many. A type that ends with x2 is two values in one register. */
static bool parse_arithmetic(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s)
{
  char name[sizeof s->text];
  snprintf(name, sizeof name, "%s", s->part[0]);
  for (int k = 1; k < s->n; k++)
    if (!modifier(i, s->part[k])) {
      strcat(name, ".");
      strcat(name, s->part[k]);
    }
  size_t length = strlen(name);
  bool packed = length > 2 && !strcmp(name + length - 2, "x2");
  if (packed)
    name[length - 2] = 0;
  const struct ptx_op *op = find_op(name);
  const char *dot = strrchr(name, '.');
  if (!op || !dot)
    return false;
  i->type = ptx_type_of(dot + 1);
  i->run = op->run;
  bool modified = i->ftz || i->sat || i->rounding;
  if (modified && (packed || !ptx_type_is_float(i->type)))
    return false;
  if (modified || packed) {
    i->inner = op->run;
    i->run = packed ? ptx_run_packed : ptx_run_modified;
    i->n = (uint8_t)op->operands;
  }
  return result(p, i) && sources(p, i, 0, op->operands);
}

static const struct {
  const char *opcodes;
  bool (*parse)(struct ptx_parser *p, struct ptx_inst *i, const struct suffixes *s);
} forms[] = {
    {"ld ldu st", parse_memory},
    {"atom red", parse_atomic},
    {"mov", parse_mov},
    {"cvt", parse_cvt},
    {"cvta", parse_cvta},
    {"isspacep", parse_isspacep},
    {"shfl", parse_shfl},
    {"vote", parse_vote},
    {"bar barrier", parse_barrier},
    {"bra brx", parse_branch},
    {"call", parse_call},
    {"ret exit trap brkpt", parse_end},
    {"membar fence prefetch prefetchu discard applypriority nanosleep griddepcontrol", parse_nothing},
    {"activemask", parse_activemask},
    {"cp", parse_async},
};

/* Opcode and operands, the guard being known */
static bool parse_operation(struct ptx_parser *p, struct ptx_inst *i)
{
  struct suffixes s;
  char opcode[sizeof p->t.word];
  memcpy(opcode, p->t.word, sizeof opcode);
  if (!take_apart(&s, opcode) || !ptx_next(&p->t))
    return false;
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
    if (is_one_of(s.part[0], forms[k].opcodes))
      return forms[k].parse(p, i, &s);
  return parse_arithmetic(p, i, &s);
}

bool ptx_parse_instruction(struct ptx_parser *p)
{
  struct ptx_text *t = &p->t;
  struct ptx_inst i = {.line = t->word_line};
  char text[200];
  if (ptx_accept(t, "@")) {
    i.guard_not = ptx_accept(t, "!");
    i.guard = operand(p);
  }
  if (!parse_operation(p, &i) || !ptx_accept(t, ";"))
    return ptx_fail(t, PTX_INVALID_PTX, "unknown: %s", ptx_module_line(p->m, i.line, text, sizeof text));
  if (!ptx_grow(&p->m->inst, p->m->n_inst, &p->size_inst, sizeof i))
    return ptx_fail(t, PTX_OUT_OF_MEMORY, "no memory");
  p->m->inst[p->m->n_inst++] = i;
  return true;
}
