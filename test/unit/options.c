/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options table: defaults, every kind of value, lists, and the text of every refusal. */
#include "ast/ast.h"
#include "check.h"
#include <stdlib.h>

#define ALL                                                                                                                 \
  "off, help, parallel, gpu, force, verify, tile-sizes, only, dump, statistics, print, machine, budget, module-budget, "    \
  "keep-buffers, "                                                                                                          \
  "position, "                                                                                                              \
  "expand, relax-reductions, influence, commands, schedule"

static void test_defaults(void)
{
  struct tsr_options opt;
  tsr_options_init(&opt);
  CHECK(!opt.off && !opt.help && !opt.parallel && !opt.force && !opt.verify);
  CHECK(!opt.tile_sizes && !opt.n_tile_sizes && !opt.only && !opt.dump);
  CHECK(opt.print == TSR_PRINT_NONE && opt.position == TSR_POSITION_EARLY && opt.strategy == TSR_STRATEGY_DEFAULT);
  CHECK(opt.expand == TSR_EXPAND_PAYS);
  CHECK(opt.budget == 3000000 && opt.module_budget == 33000000);
  tsr_options_clear(&opt);
}

static void test_kinds(void)
{
  struct tsr_options opt;
  tsr_options_init(&opt);
  CHECK(tsr_options_set(&opt, "parallel", NULL, NULL) == isl_stat_ok && opt.parallel);
  CHECK(tsr_options_set(&opt, "parallel", "off", NULL) == isl_stat_ok && !opt.parallel);
  CHECK(tsr_options_set(&opt, "parallel", "", NULL) == isl_stat_ok && opt.parallel);
  CHECK(tsr_options_set(&opt, "parallel", "0", NULL) == isl_stat_ok && !opt.parallel);
  CHECK(tsr_options_set(&opt, "tile-sizes", "32,8,1", NULL) == isl_stat_ok && opt.n_tile_sizes == 3);
  CHECK(opt.tile_sizes && opt.tile_sizes[0] == 32 && opt.tile_sizes[1] == 8 && opt.tile_sizes[2] == 1);
  CHECK(tsr_options_set(&opt, "tile-sizes", "7", NULL) == isl_stat_ok && opt.n_tile_sizes == 1 && opt.tile_sizes[0] == 7);
  CHECK(tsr_options_set(&opt, "only", "^gemm(_|$)", NULL) == isl_stat_ok);
  CHECK_TEXT(opt.only, "^gemm(_|$)");
  CHECK(tsr_options_set(&opt, "dump", "a b", NULL) == isl_stat_ok);
  CHECK(tsr_options_set(&opt, "dump", "c", NULL) == isl_stat_ok);
  CHECK_TEXT(opt.dump, "c");
  CHECK(tsr_options_set(&opt, "print", "ast", NULL) == isl_stat_ok && opt.print == TSR_PRINT_AST);
  CHECK(tsr_options_set(&opt, "position", "both", NULL) == isl_stat_ok && opt.position == TSR_POSITION_BOTH);
  CHECK(tsr_options_set(&opt, "schedule", "original", NULL) == isl_stat_ok && opt.strategy == TSR_STRATEGY_ORIGINAL);
  CHECK(tsr_options_set(&opt, "budget", "0", NULL) == isl_stat_ok && opt.budget == 0);
  tsr_options_clear(&opt);
}

static const struct {
  const char *name, *value, *message;
} refused[] = {
    {"tile-size", "3", "unknown option 'tile-size': allowed are " ALL " (did you mean 'tile-sizes'?)"},
    {"tilesizes", NULL, "unknown option 'tilesizes': allowed are " ALL " (did you mean 'tile-sizes'?)"},
    {"xyzzy-plugh", NULL, "unknown option 'xyzzy-plugh': allowed are " ALL},
    {"tile-sizes", "0,x", "option 'tile-sizes' needs positive integers a,b,.., not '0,x'"},
    {"tile-sizes", "4,", "option 'tile-sizes' needs positive integers a,b,.., not '4,'"},
    {"tile-sizes", "", "option 'tile-sizes' needs positive integers a,b,.., not ''"},
    {"tile-sizes", NULL, "option 'tile-sizes' needs positive integers a,b,.., not ''"},
    {"tile-sizes", "+4", "option 'tile-sizes' needs positive integers a,b,.., not '+4'"},
    {"tile-sizes", "2147483648", "option 'tile-sizes' needs positive integers a,b,.., not '2147483648'"},
    {"tile-sizes", "8,99999999999999999999",
     "option 'tile-sizes' needs positive integers a,b,.., not '8,99999999999999999999'"},
    {"parallel", "yes", "option 'parallel' needs one of true|false, not 'yes'"},
    {"print", "asts", "option 'print' needs one of none|schedule|tree|ast|commands, not 'asts'"},
    {"print", "", "option 'print' needs one of none|schedule|tree|ast|commands, not ''"},
    {"print", "none|schedule", "option 'print' needs one of none|schedule|tree|ast|commands, not 'none|schedule'"},
    {"budget", "-1", "option 'budget' needs a non-negative integer, not '-1'"},
    {"budget", "1e6", "option 'budget' needs a non-negative integer, not '1e6'"},
    {"budget", " 1", "option 'budget' needs a non-negative integer, not ' 1'"},
    {"budget", "99999999999999999999", "option 'budget' needs a non-negative integer, not '99999999999999999999'"},
    {"only", "a(", "option 'only' needs a POSIX extended regular expression, not 'a('"},
    {"dump", "", "option 'dump' needs a folder, not ''"},
};

static void test_refusals(void)
{
  struct tsr_options opt;
  tsr_options_init(&opt);
  CHECK(tsr_options_parse(&opt, "tile-sizes=5,6;only=f;dump=d;print=tree;parallel", ";", NULL) == isl_stat_ok);
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
    char *error = NULL;
    CHECK(tsr_options_set(&opt, refused[i].name, refused[i].value, &error) == isl_stat_error);
    CHECK_TEXT(error, refused[i].message);
    free(error);
  }
  CHECK(opt.n_tile_sizes == 2 && opt.tile_sizes[0] == 5 && opt.tile_sizes[1] == 6 && opt.parallel);
  CHECK(opt.print == TSR_PRINT_TREE && opt.budget == 3000000);
  CHECK_TEXT(opt.only, "f");
  CHECK_TEXT(opt.dump, "d");
  CHECK(tsr_options_set(&opt, "nonsense", NULL, NULL) == isl_stat_error);
  tsr_options_clear(&opt);
}

static void test_lists(void)
{
  struct tsr_options opt;
  char *error = NULL;
  tsr_options_init(&opt);
  CHECK(tsr_options_parse(&opt, "", ";", &error) == isl_stat_ok && !error);
  CHECK(tsr_options_parse(&opt, ";;parallel; force ;tile-sizes=32,8;only=^gemm$;", ";", &error) == isl_stat_ok && !error);
  CHECK(opt.parallel && opt.force && opt.n_tile_sizes == 2);
  CHECK_TEXT(opt.only, "^gemm$");
  CHECK(tsr_options_parse(&opt, " -tessera-verify\t--print=ast\n-off --tessera-budget=9;only=a=b ", " \t\n;", &error) ==
        isl_stat_ok);
  CHECK(opt.verify && opt.print == TSR_PRINT_AST && opt.off && opt.budget == 9);
  CHECK_TEXT(opt.only, "a=b");
  CHECK(tsr_options_parse(&opt, "budget=7;nope;budget=8", ";", &error) == isl_stat_error && opt.budget == 7);
  CHECK_TEXT(error, "unknown option 'nope': allowed are " ALL);
  free(error);
  CHECK(tsr_options_parse(&opt, "---off", ";", NULL) == isl_stat_error);
  tsr_options_clear(&opt);
}

static void test_help(void)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  tsr_options_help(out);
  fclose(out);
  CHECK(strstr(text, "  parallel  ") && strstr(text, "print=none|schedule|tree|ast|commands"));
  CHECK(strstr(text,
               "isl operations for one SCoP, as many more with threads, four times as many more with a GPU; 0: no limit "
               "(default: 3000000)\n"));
  free(text);
}

int main(void)
{
  test_defaults();
  test_kinds();
  test_refusals();
  test_lists();
  test_help();
  return check_report();
}
