/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machines: the rows, files that change some numbers, the text of every refusal, and that the default's numbers are those
 * that the cost model was made with. */
#include "check.h"
#include "ast/ast.h"
#include <stdlib.h>
#include <unistd.h>

static void test_default(void)
{
  struct tsr_machine m;
  CHECK(!tsr_machine_find(NULL, &m) && !tsr_machine_find("pentium-75", &m) && !tsr_machine_find("", &m));
  CHECK_TEXT(m.name, "generic");
  CHECK(m.n_cache == 2 && m.cache[0].size == 32768 && m.cache[1].size == 524288);
  CHECK(m.cache[0].line == 64 && m.cache[0].next_line == 2 && m.cache[0].other_line == 5);
  CHECK(m.cache[1].line == 64 && m.cache[1].next_line == 8 && m.cache[1].other_line == 20);
  CHECK(m.fma_latency == 4 && m.cores == 2 && m.vector_bytes == 16 && m.vector_registers == 16);
  CHECK(m.gpu.block_threads == 1024 && m.gpu.warp == 32 && m.gpu.load_bytes == 16);
  CHECK(m.gpu.weight[0] == 5 && m.gpu.weight[1] == 3 && m.gpu.weight[2] == 1 && m.gpu.weight[4] == 1);
}

/* Every row is sane, and reads back as it is written. */
static void test_rows(void)
{
  char *names = NULL, *rest = NULL;
  size_t size = 0;
  int n = 0;
  FILE *out = open_memstream(&names, &size);
  tsr_machine_names(out);
  fclose(out);
  for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest), n++) {
    struct tsr_machine m, back;
    char path[] = "/tmp/tessera-machine-XXXXXX", *error = NULL;
    CHECK(tsr_machine_find(name, &m));
    CHECK_TEXT(m.name, name);
    CHECK(m.n_cache >= 2 && m.vector_bytes >= 16 && m.vector_registers >= 16 && m.fma_units >= 1 && m.cores >= 1);
    FILE *file = fdopen(mkstemp(path), "w");
    tsr_machine_write(&m, file);
    fclose(file);
    tsr_machine_find(NULL, &back);
    CHECK(tsr_machine_load(path, &back, &error) == isl_stat_ok && !error);
    CHECK_TEXT(back.name, name);
    CHECK(back.n_cache == m.n_cache && !memcmp(back.cache, m.cache, m.n_cache * sizeof(m.cache[0])));
    CHECK(back.vector_bytes == m.vector_bytes && back.fma_latency == m.fma_latency && back.fma_units == m.fma_units);
    CHECK(!memcmp(back.gpu.weight, m.gpu.weight, sizeof(m.gpu.weight)) && back.gpu.warp == m.gpu.warp);
    remove(path);
  }
  free(names);
  CHECK(n >= 30);
  struct tsr_machine m;
  CHECK(tsr_machine_find("cascadelake", &m) && m.cache[1].size == 1048576 && m.vector_bytes == 64);
  CHECK(tsr_machine_find("znver5", &m) && m.cache[0].size == 49152 && m.n_cache == 3);
  CHECK(tsr_machine_find("apple-m1", &m) && m.cache[0].line == 128);
}

/* Load TEXT as a file over *MACHINE; the message without the file's name in *ERROR, from malloc. */
static isl_stat load_text(const char *text, struct tsr_machine *machine, char **error)
{
  char path[] = "/tmp/tessera-machine-XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  fputs(text, file);
  fclose(file);
  isl_stat stat = tsr_machine_load(path, machine, error);
  remove(path);
  if (*error && !strncmp(*error, path, strlen(path)))
    memmove(*error, *error + strlen(path), strlen(*error + strlen(path)) + 1);
  return stat;
}

static void test_changes(void)
{
  struct tsr_machine m;
  char *error = NULL;
  tsr_machine_find("haswell", &m);
  CHECK(load_text("cores: 12\n", &m, &error) == isl_stat_ok && !error);
  CHECK(m.cores == 12 && m.vector_bytes == 32 && m.cache[1].size == 262144);
  CHECK_TEXT(m.name, "haswell");
  CHECK(load_text("caches: [{}, {size: 2097152, other-line: 7.5}, {size: 4194304}, {size: 8388608}]", &m, &error) ==
        isl_stat_ok);
  CHECK(m.n_cache == 4 && m.cache[0].size == 32768 && m.cache[1].other_line == 7.5 && m.cache[1].ways == 8);
  CHECK(m.cache[3].size == 8388608 && m.cache[3].line == 64 && m.cache[3].latency == m.cache[2].latency);
  CHECK(load_text("machine: mine\nbase: znver4\ngpu: {base: sm_90, warp: 64, weights: [1, 2, 3.5, 4, 0]}", &m, &error) ==
        isl_stat_ok);
  CHECK_TEXT(m.name, "mine");
  CHECK(m.n_cache == 3 && m.cache[1].size == 1048576 && m.cores == 2);
  CHECK(m.gpu.block_shared == 232448 && m.gpu.warp == 64 && m.gpu.weight[2] == 3.5 && m.gpu.weight[4] == 0);
  CHECK_TEXT(m.gpu.name, "sm_90");
  CHECK(tsr_machine_load("skylake", &m, &error) == isl_stat_ok && m.vector_bytes == 32);
  CHECK_TEXT(m.name, "skylake");
}

#define GPUS "generic-gpu, sm_70, sm_75, sm_80, sm_86, sm_90"

static const struct {
  const char *text, *message;
} refused[] = {
    {"", ":1:1: the file is empty; expected a YAML mapping"},
    {"cores: 2\ncaches: {", ":3:1: not YAML: did not find expected node content; expected YAML"},
    {"- 3", ":1:1: a machine is not a mapping; expected the keys cores, vector-bytes, vector-registers, fma-units, "
            "fma-latency, exposed, stream-line, stream-bytes, machine, base, caches, gpu"},
    {"cores: 2\ncore: 3",
     ":2:1: unknown key 'core' in a machine; expected cores, vector-bytes, vector-registers, fma-units, "
     "fma-latency, exposed, stream-line, stream-bytes, machine, base, caches, gpu"},
    {"cores: 2\ncores: 3", ":2:1: key 'cores' appears twice in a machine; expected once"},
    {"cores: 0", ":1:8: 'cores' is '0'; expected a whole number from 1 to 65536"},
    {"cores: two", ":1:8: 'cores' is 'two'; expected a whole number from 1 to 65536"},
    {"cores: 2.0", ":1:8: 'cores' is '2.0'; expected a whole number from 1 to 65536"},
    {"exposed: 2", ":1:10: 'exposed' is '2'; expected a number from 0 to 1"},
    {"cores: 99999999999999999999", ":1:8: 'cores' is '99999999999999999999'; expected a whole number from 1 to 65536"},
    {"cores: [1]", ":1:8: 'cores' is a list or mapping; expected text"},
    {"\n\n  vector-bytes: 24", ":3:17: 'vector-bytes' is '24'; expected a power of two from 8 to 1024"},
    {"machine: []", ":1:10: 'machine' is a list or mapping; expected text"},
    {"caches: 3", ":1:9: 'caches' is no list of at most 4 levels; expected the nearest first"},
    {"caches: [{}, {}, {size: 1000000}, {size: 2000000}, {size: 3000000}]",
     ":1:9: 'caches' is no list of at most 4 levels; expected the nearest first"},
    {"caches: [{sizes: 3}]",
     ":1:11: unknown key 'sizes' in a cache; expected size, ways, line, latency, next-line, other-line"},
    {"caches: [{size: 3}]", ":1:17: 'size' is '3'; expected a whole number from 1024 to 2147483647"},
    {"caches: [{next-line: -1}]", ":1:22: 'next-line' is '-1'; expected a number from 0 to 100000"},
    {"caches: [{next-line: 1e3}]", ":1:22: 'next-line' is '1e3'; expected a number from 0 to 100000"},
    {"gpu: {warp: 31}", ":1:13: 'warp' is '31'; expected a power of two from 1 to 1024"},
    {"gpu: {base: sm_1}", ":1:13: unknown GPU 'sm_1'; expected one of " GPUS},
    {"gpu: {weights: [1, 2]}", ":1:16: 'weights' is no list of 5 numbers; expected w1 to w5"},
    {"gpu: {weights: [1, 2, 3, 4, 5, 6]}", ":1:16: 'weights' is no list of 5 numbers; expected w1 to w5"},
    {"gpu: {weights: [1, 2, 3, x, 5]}", ":1:26: 'weights' is 'x'; expected a number from 0 to 1000000"},
};

static void test_refusals(void)
{
  struct tsr_machine m, before;
  char *error = NULL;
  tsr_machine_find(NULL, &before);
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
    m = before;
    CHECK(load_text(refused[i].text, &m, &error) == isl_stat_error);
    CHECK_TEXT(error, refused[i].message);
    CHECK(!memcmp(&m, &before, sizeof(m)));
    free(error);
  }
  CHECK(load_text("base: znver9", &m, &error) == isl_stat_error);
  CHECK(error && strstr(error, ":1:7: unknown machine 'znver9'; expected one of generic, x86-64-v3, "));
  free(error);
  CHECK(tsr_machine_load("/no/such/file", &m, &error) == isl_stat_error);
  CHECK(error &&
        strstr(error, "option 'machine': /no/such/file: No such file or directory; expected a YAML file or one of "));
  free(error);
  CHECK(tsr_machine_load("/no/such/file", &m, NULL) == isl_stat_error);
}

int main(void)
{
  test_default();
  test_rows();
  test_changes();
  test_refusals();
  return check_report();
}
