/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An oracle for the tests of the checker: run a SCoP at small parameters, instance by instance, in the order of a schedule
 * tree, on values that are hashes of everything they were computed from, and compare what memory holds at the end.
 *
 *   program   the instances, and for each the elements that it touches     once a SCoP and parameter values
 *   run       sort the instances by their times in a tree, execute          once a tree */
#ifndef TESSERA_TEST_ORACLE_H
#define TESSERA_TEST_ORACLE_H

#include "scops.h"
#include <isl/point.h>
#include <isl/val.h>
#include <stdint.h>

#define ORACLE_MAX_INSTANCES 512
#define ORACLE_MAX_ELEMENTS 512
#define ORACLE_MAX_TOUCH 16
#define ORACLE_MAX_TIME 24

struct oracle_touch {
  int element;
  bool write;
};

struct oracle_instance {
  int stmt;
  isl_point *point;
  int n_touch;
  struct oracle_touch touch[ORACLE_MAX_TOUCH];
  int n_time;
  long time[ORACLE_MAX_TIME];
};

struct oracle {
  struct tsr_scop *scop;
  isl_set *parameters;
  int n_instance, n_element;
  struct oracle_instance instance[ORACLE_MAX_INSTANCES];
  isl_point *element[ORACLE_MAX_ELEMENTS];
  bool live_out[ORACLE_MAX_ELEMENTS];
};

struct oracle_touching {
  struct oracle *oracle;
  struct tsr_access *access;
};

static inline isl_stat oracle_add_touch(isl_point *point, void *user)
{
  struct oracle_touching *touching = user;
  struct oracle *oracle = touching->oracle;
  struct oracle_instance *instance = &oracle->instance[oracle->n_instance];
  int e = 0;
  isl_set *set = isl_set_from_point(point);
  for (; e < oracle->n_element; e++) {
    isl_set *other = isl_set_from_point(isl_point_copy(oracle->element[e]));
    isl_bool equal = isl_set_is_equal(set, other);
    isl_set_free(other);
    if (equal == isl_bool_true)
      break;
  }
  CHECK(e < ORACLE_MAX_ELEMENTS && instance->n_touch < ORACLE_MAX_TOUCH);
  if (e == oracle->n_element) {
    oracle->element[oracle->n_element++] = isl_set_sample_point(isl_set_copy(set));
    oracle->live_out[e] = oracle->scop->arrays[touching->access->array].live_out;
  }
  isl_set_free(set);
  instance->touch[instance->n_touch++] = (struct oracle_touch){e, touching->access->kind != TSR_READ};
  return isl_stat_ok;
}

static inline isl_stat oracle_add_instance(isl_point *point, void *user)
{
  struct oracle *oracle = user;
  struct oracle_instance *instance = &oracle->instance[oracle->n_instance];
  CHECK(oracle->n_instance < ORACLE_MAX_INSTANCES);
  *instance = (struct oracle_instance){.point = isl_point_copy(point)};
  isl_set *set = isl_set_from_point(point);
  instance->stmt = tsr_scop_find_stmt(oracle->scop, isl_set_get_tuple_name(set));
  struct tsr_stmt *stmt = &oracle->scop->stmts[instance->stmt];
  for (int k = 0; k < stmt->n_access; k++) {
    struct oracle_touching touching = {oracle, &stmt->access[k]};
    isl_set *elements = isl_set_apply(isl_set_copy(set), isl_map_copy(stmt->access[k].relation));
    isl_set_foreach_point(elements, oracle_add_touch, &touching);
    isl_set_free(elements);
  }
  isl_set_free(set);
  oracle->n_instance++;
  return isl_stat_ok;
}

/* PARAMETERS: one value for each parameter, such as "[n] -> { : n = 3 }". */
static inline struct oracle *oracle_alloc(struct tsr_scop *scop, const char *parameters)
{
  struct oracle *oracle = calloc(1, sizeof(*oracle));
  oracle->scop = scop;
  oracle->parameters = isl_set_read_from_str(scop->ctx, parameters);
  isl_union_set *domain = isl_union_set_intersect_params(tsr_scop_domain(scop), isl_set_copy(oracle->parameters));
  CHECK(isl_union_set_foreach_point(domain, oracle_add_instance, oracle) == isl_stat_ok);
  isl_union_set_free(domain);
  return oracle;
}

static inline void oracle_free(struct oracle *oracle)
{
  for (int i = 0; i < oracle->n_instance; i++)
    isl_point_free(oracle->instance[i].point);
  for (int e = 0; e < oracle->n_element; e++)
    isl_point_free(oracle->element[e]);
  isl_set_free(oracle->parameters);
  free(oracle);
}

/* The values of the dimensions of TIME at INSTANCE, if it has one there. */
static inline void oracle_add_time(struct oracle_instance *instance, isl_pw_multi_aff *time)
{
  int n = isl_pw_multi_aff_dim(time, isl_dim_out);
  CHECK(n <= ORACLE_MAX_TIME);
  for (int i = 0; i < n; i++) {
    isl_val *value = isl_pw_aff_eval(isl_pw_multi_aff_get_pw_aff(time, i), isl_point_copy(instance->point));
    bool runs = isl_val_is_int(value) == isl_bool_true;
    instance->time[i] = runs ? isl_val_get_num_si(value) : 0;
    isl_val_free(value);
    if (!runs)
      return;
  }
  instance->n_time = n;
}

static inline isl_stat oracle_add_times(isl_map *map, void *user)
{
  struct oracle *oracle = user;
  int stmt = tsr_scop_find_stmt(oracle->scop, isl_map_get_tuple_name(map, isl_dim_in));
  isl_pw_multi_aff *time = isl_pw_multi_aff_from_map(map);
  for (int i = 0; i < oracle->n_instance; i++)
    if (oracle->instance[i].stmt == stmt)
      oracle_add_time(&oracle->instance[i], time);
  isl_pw_multi_aff_free(time);
  return isl_stat_ok;
}

/* n_time stays -1 for an instance that the tree does not run. */
static inline void oracle_schedule(struct oracle *oracle, isl_schedule *tree)
{
  isl_union_map *map = isl_schedule_get_map(tree);
  for (int i = 0; i < oracle->n_instance; i++)
    oracle->instance[i].n_time = -1;
  CHECK(isl_union_map_foreach_map(map, oracle_add_times, oracle) == isl_stat_ok);
  isl_union_map_free(map);
}

/* Instances without an order between them run in the order of POSITION, or backward. */
static inline bool oracle_is_before(struct oracle_instance *a, struct oracle_instance *b, bool backward)
{
  for (int i = 0; i < a->n_time && i < b->n_time; i++)
    if (a->time[i] != b->time[i])
      return a->time[i] < b->time[i];
  return backward ? a > b : a < b;
}

/* The hash of final memory after the instances ran in the order of TREE. */
static inline uint64_t oracle_run(struct oracle *oracle, isl_schedule *tree, bool backward)
{
  static int order[ORACLE_MAX_INSTANCES];
  uint64_t memory[ORACLE_MAX_ELEMENTS], final = 0;
  int n = 0;
  oracle_schedule(oracle, tree);
  for (int i = 0; i < oracle->n_instance; i++) {
    int at = n;
    if (oracle->instance[i].n_time < 0)
      continue;
    for (; at > 0 && oracle_is_before(&oracle->instance[i], &oracle->instance[order[at - 1]], backward); at--)
      order[at] = order[at - 1];
    order[at] = i;
    n++;
  }
  for (int e = 0; e < oracle->n_element; e++)
    memory[e] = 1000003ull * (e + 1);
  for (int i = 0; i < n; i++) {
    struct oracle_instance *instance = &oracle->instance[order[i]];
    uint64_t value = 0x9e3779b97f4a7c15ull * (order[i] + 1);
    for (int k = 0; k < instance->n_touch; k++) {
      uint64_t *cell = &memory[instance->touch[k].element];
      value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9ull + k;
      if (instance->touch[k].write)
        *cell = value;
      else
        value ^= *cell;
    }
  }
  for (int e = 0; e < oracle->n_element; e++)
    if (oracle->live_out[e])
      final = (final ^ memory[e] ^ (final >> 31)) * 0x94d049bb133111ebull;
  return final;
}

/* Does TREE leave the same memory as the original order, in whatever order it runs what it does not order? */
static inline bool oracle_agrees(struct oracle *oracle, isl_schedule *tree)
{
  uint64_t expected = oracle_run(oracle, oracle->scop->schedule, false);
  return oracle_run(oracle, tree, false) == expected && oracle_run(oracle, tree, true) == expected;
}

#endif
