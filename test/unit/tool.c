/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command-line tool, run as a program: exit status and a piece of what it prints. It is looked for beside the
 * folder of this test: DIR/test/unit_tool -> DIR/bin/tessera. Input comes from test/scops. */
#include "check.h"
#include <stdlib.h>
#include <sys/wait.h>

static const struct {
  const char *arguments;
  int status;
  const char *output; /* standard output and error together contain this */
} runs[] = {
    {"--help", 0, "usage: tessera [options] FILE.scop"},
    {"--help", 0, "tile-sizes=positive integers a,b,.."},
    {"--version", 0, "tessera 0."},
    {"", 2, "tessera: expected a file; try --help"},
    {"nosuch.scop", 2, "nosuch.scop: No such file or directory"},
    {"test/scops/gemm.scop test/scops/gemm.scop", 2, "expected one file, not also test/scops/gemm.scop"},
    {"test/unit/tool.c", 2, "test/unit/tool.c:3:23: not YAML"},
    {"--until=late test/scops/gemm.scop", 2,
     "'until' needs one of dependences, schedule, tile, profit, check, ast, run, not late"},
    {"--print=x test/scops/gemm.scop", 2,
     "'print' needs one of none, text, tree, ast, c, dot, deps, machine, candidates, commands, not x"},
    {"--limit=0 test/scops/gemm.scop", 2, "'limit' needs a number from 1 to 100000000, not 0"},
    {"--tile-size=3 test/scops/gemm.scop", 2, "(did you mean 'tile-sizes'?)"},
    {"--until=dependences test/scops/gemm.scop", 0, "flow:"},
    {"--until=schedule test/scops/gemm.scop", 0, "permutable: 1"},
    {"--until=tile --force --parallel test/scops/gemm.scop", 0, "mark: \"parallel\""},
    {"--until=check --force test/scops/gemm.scop", 0, "check: legal"},
    {"--force test/scops/gemm.scop", 0, "for (int c0 = 0"},
    {"--until=ast --print=c test/scops/gemm.scop", 0, "void kernel(long n, long m, long l)"},
    {"--print=dot test/scops/gemm.scop", 0, "S1 -> S1 [color=black, label=\"flow (0, 1, 0)\"]"},
    {"--print=deps test/scops/gemm.scop", 0, "flow:"},
    {"--print=text test/scops/gemm.scop", 0, "- read: \"{ S0[i, j] -> C[i, j] }\""},
    {"--print=machine --machine=znver4", 0, "machine: znver4\ncores: 2\nvector-bytes: 64\n"},
    {"--machine=znver9 test/scops/gemm.scop", 2,
     "option 'machine': znver9: No such file or directory; expected a YAML file or"},
    {"--machine=test/unit/tool.c test/scops/gemm.scop", 2, "test/unit/tool.c:3:23: not YAML"},
    {"--print=text --machine=znver4 test/scops/gemm.scop", 0, "machine: \"znver4\""},
    {"--print=text --machine=znver4 test/scops/gemm.scop | $TOOL --print=machine -", 0, "machine: znver4"},
    {"--print=text test/scops/gemm.scop | $TOOL --compare=test/scops/gemm.scop -", 0, "equal"},
    {"--version | awk '{print \"product.1: S.cache_local_at(k, B)\"}' | "
     "$TOOL --until=tile --commands=/dev/stdin --print=text test/scops/product.scop",
     0, "-> B_buffer[0, 0] : 0 <= i < n"}, /* what it has become, not what it was */
    {"--compare test/scops/trisolv.scop test/scops/gemm.scop", 1, "differ"},
    {"--compare=nosuch.scop test/scops/gemm.scop", 2, "nosuch.scop: No such file or directory"},
    {"--until=run --force --tile-sizes=2,3 test/scops/gemm.scop", 0, "run: same memory at "},
    {"--help", 0, "  --time "},
    {"--help", 0, "  --measure "},
    {"--time --until=schedule test/scops/gemm.scop | awk '{print $1}' | tail -4 | tr '\\n' ' '", 0,
     "stage dependences schedule total "},
    {"--time --until=run --force --print=none test/scops/gemm.scop | awk '$1 == \"total\" {print (n == $3 && t > 0) \"!\"} "
     "{n += $3; t += $2}'",
     0, "1!"},
    {"--time --until=tile --budget=100 test/scops/gemm.scop", 0, "\ndependences "},
    {"--time --schedule-file=x test/scops/gemm.scop", 2, "'time' needs a run of the stages, not --schedule-file"},
    {"--time --compare=x test/scops/gemm.scop", 2, "'time' needs a run of the stages, not --compare"},
    {"--measure --until=dependences --print=none test/scops/gemm.scop", 0,
     "accesses=6 near=6 outer=none members=1 fallback=none"},
    {"--measure --until=tile --force --print=none test/scops/gemm.scop", 0, "accesses=6 near=6 outer=coincident members=3"},
    {"--measure --until=tile --force --print=none test/scops/trisolv.scop", 0, "outer=wavefront members=2"},
    {"--measure --until=tile --schedule=original --print=none test/scops/jacobi_1d.scop", 0, "outer=none members=1"},
    {"--params=n=4,l=2,m=3 test/scops/gemm.scop", 0, "run: same memory at 1 parameter value"},
    {"--force --params=n=5,m=40,l=3 test/scops/product.scop", 0, "run: same memory at 1 parameter value"},
    {"--force --params=n=11,m=47,l=5 test/scops/product.scop", 0, "run: same memory at 1 parameter value"},
    {"--force --until=tile test/scops/product.scop", 0, "mark: \"registers 6x4x8 over 1 by [0,1,0]"},
    {"--force --until=tile test/scops/product.scop", 0, "mark: \"pack 1 of S in 64x256x6 by row along reduction\""},
    {"--force --until=ast test/scops/product.scop", 0, "load_B_packed(c0, c1, c2, 384 * c0, 32 * c2 + c4, 256 * c1 + c3);"},
    {"--force --params=n=5,m=97,l=260 --limit=200000 test/scops/product.scop", 0, "run: same memory at 1 parameter value"},
    {"--force --until=ast test/scops/product.scop", 0, "// registers 6x4x8 over 1 by [0,1,0]"},
    {"--params=n=4,l=2 test/scops/gemm.scop", 2, "gives no integer for parameter m"},
    {"--params=n=4,l=2,m=x test/scops/gemm.scop", 2, "gives no integer for parameter m"},
    {"--params=n=4,l=2,m=3,q=4 test/scops/gemm.scop", 2, "names an unknown parameter: q"},
    {"--params=n=4 --until=ast test/scops/gemm.scop", 2, "'params' needs --until=run"},
    {"--params=n=400,l=2,m=3000 test/scops/gemm.scop", 1, "too many instances"},
    {"--schedule-file=nosuch test/scops/reversed.scop", 2, "nosuch: No such file or directory"},
    {"--schedule-file=test/scops/gemm.scop test/scops/reversed.scop", 2, "test/scops/gemm.scop:5:1: unknown key 'scop'"},
};

/* User trees for reversed.scop, whose iterations must run in order. */
static const struct {
  const char *member;
  int status;
  const char *output;
} trees[] = {
    {"(2c)", 0, "check: legal"},
    {"(2c)", 0, "outer=none members=1 fallback=none"},
    {"(-c)", 1, "check: array A: "},
    {"(-c)", 1, "run: n = "},
};

static void check_run(const char *command, int status, const char *output)
{
  char text[65536];
  FILE *pipe = popen(command, "r");
  size_t n = pipe ? fread(text, 1, sizeof(text) - 1, pipe) : 0;
  text[n] = 0;
  int got = pipe ? pclose(pipe) : -1;
  bool good = CHECK(WIFEXITED(got) && WEXITSTATUS(got) == status);
  good &= CHECK(strstr(text, output) != NULL);
  if (!good)
    fprintf(stderr, "  %s\n  exits with %d, expected %d; expected output with: %s\n%s\n", command, WEXITSTATUS(got), status,
            output, text);
}

int main(int argc, char **argv)
{
  char tool[512], command[2048];
  const char *slash = argc ? strrchr(argv[0], '/') : NULL;
  snprintf(tool, sizeof(tool), "%.*s/../bin/tessera", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
  setenv("TOOL", tool, 1);
  for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
    snprintf(command, sizeof(command), "{ $TOOL %s; } 2>&1", runs[i].arguments);
    check_run(command, runs[i].status, runs[i].output);
  }
  for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
    snprintf(command, sizeof(command),
             "printf '%%s\\n' 'domain: \"[n] -> { S0[c] : 0 <= c < n - 1 }\"' 'child: { schedule: \"[{ S0[c] -> [%s] }]\" }'"
             " | { $TOOL --schedule-file=- --measure test/scops/reversed.scop; } 2>&1",
             trees[i].member);
    check_run(command, trees[i].status, trees[i].output);
  }
  return check_report();
}
