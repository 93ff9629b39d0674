/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can no schedule be worth? Two bounds of its cost are known before dependences are.
 *
 * Lines that have to be brought in: whatever the order of its loops, an access touches as many elements as cache_lines.c
 * counts, each in a line of its own where they can't be neighbours. Statements may share the lines of an array: the largest
 * number counts. Where memory takes the time of a nest, it is given up.
 *
 * Statements that stay where they are. Those that a SCALAR array chains to each other from each
 * iteration of their innermost loop to the next:
 *
 *   for i
 *     x = a[i][0]                     x, y: SCALAR arrays
 *     for j
 *       S: y = f(x, a[i][j])          S writes y, T reads it and writes x, the next S reads x: S -> T -> S
 *       T: x = g(y)
 *       U: b[i][j] = h(y)             U reads what S writes
 *
 * A live range may not be torn, so between S(i, j) and S(i, j + 1) there is no other instance of S or T: j stays the
 * innermost loop of both and is never a vector loop. The same goes for U, which runs between two instances of S. In all
 * schedules such statements cost no less than what it takes to issue them (estimate.c); and if no loop but i is around, no
 * less than in the original, unless another statement brings their elements into the cache. And where one run of j touches
 * more than a cache holds, each run brings all of it in again. So their nests can be given up before anything is known of
 * dependences.
 *
 * Only what is plain to see counts: a loop without loops inside, SCALAR arrays with one writer in it, and statements that
 * run in the same iterations. */
#include "cost/cost.h"
#include "model/thresholds.h"
#include <isl/id.h>
#include <stdlib.h>
#include <string.h>

/* What is known of one statement. */
struct place {
  int loop; /* number of the innermost loop around; -1: there is none, or it has loops inside */
  int part; /* of the SCoP: child of the outermost sequence; 0 where there is none */
  bool rigid;
};

struct places {
  struct tsr_scop *scop;
  struct place *of; /* by statement */
  isl_schedule_node *top, *band;
  int n_loop, n_part;
  struct place now; /* of the leaf at hand */
};

static isl_stat take_place(isl_set *domain, void *user)
{
  struct places *places = user;
  int stmt = tsr_scop_find_stmt(places->scop, isl_set_get_tuple_name(domain));
  if (stmt >= 0)
    places->of[stmt] = places->now;
  isl_set_free(domain);
  return stmt < 0 ? isl_stat_error : isl_stat_ok;
}

/* The innermost loop around the leaf at NODE, if it is one without loops inside: else -1. */
static int leaf_loop(struct places *places, isl_schedule_node *leaf)
{
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  while (isl_schedule_node_get_type(node) != isl_schedule_node_band && isl_schedule_node_has_parent(node) == isl_bool_true)
    node = isl_schedule_node_parent(node);
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band || tsr_node_has_band_below(node) != isl_bool_false) {
    isl_schedule_node_free(node);
    return -1;
  }
  if (!places->band || isl_schedule_node_is_equal(places->band, node) != isl_bool_true)
    places->n_loop++;
  isl_schedule_node_free(places->band);
  places->band = node;
  return places->n_loop - 1;
}

static isl_stat visit_leaf(isl_schedule_node *leaf, void *user)
{
  struct places *places = user;
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  places->now = (struct place){.loop = leaf_loop(places, leaf)};
  if (places->top) {
    isl_size part = isl_schedule_node_get_ancestor_child_position(leaf, places->top);
    places->now.part = part < 0 ? 0 : part;
  }
  isl_stat ok = isl_union_set_foreach_set(domain, take_place, places);
  isl_union_set_free(domain);
  return ok;
}

/* Find the places of all statements. */
static isl_stat places_init(struct places *places, struct tsr_scop *scop)
{
  *places = (struct places){.scop = scop, .of = calloc(scop->n_stmt + 1, sizeof(*places->of)), .n_part = 1};
  for (int i = 0; places->of && i < scop->n_stmt; i++)
    places->of[i].loop = -1;
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  if (isl_schedule_node_has_children(root) == isl_bool_true) {
    isl_schedule_node *top = isl_schedule_node_get_child(root, 0);
    enum isl_schedule_node_type type = isl_schedule_node_get_type(top);
    if (type == isl_schedule_node_sequence || type == isl_schedule_node_set) {
      places->n_part = isl_schedule_node_n_children(top);
      places->top = top;
    } else {
      isl_schedule_node_free(top);
    }
  }
  isl_stat ok = places->of ? tsr_node_foreach_leaf(root, visit_leaf, places) : isl_stat_error;
  isl_schedule_node_free(root);
  isl_schedule_node_free(places->band);
  isl_schedule_node_free(places->top);
  places->band = places->top = NULL;
  return ok;
}

static bool writes(const struct tsr_stmt *stmt, int array)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array && stmt->access[k].kind != TSR_READ)
      return true;
  return false;
}

/* Does STMT replace the value of SCALAR array ARRAY, and is it the only one of its loop to write it? */
static bool is_only_writer(const struct places *places, int stmt, int array)
{
  const struct tsr_scop *scop = places->scop;
  bool replaces = false;
  for (int k = 0; k < scop->stmts[stmt].n_access; k++)
    if (scop->stmts[stmt].access[k].array == array && scop->stmts[stmt].access[k].kind != TSR_READ)
      replaces = scop->stmts[stmt].access[k].kind == TSR_MUST_WRITE;
  for (int i = 0; i < scop->n_stmt && replaces; i++)
    replaces = i == stmt || places->of[i].loop != places->of[stmt].loop || !writes(&scop->stmts[i], array);
  return replaces;
}

/* Does STMT read ARRAY before it writes it, if it does? */
static bool reads_first(const struct tsr_stmt *stmt, int array)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array)
      return stmt->access[k].kind == TSR_READ;
  return false;
}

/* Do statements A and B run in the same iterations? */
static bool run_together(struct tsr_scop *scop, int a, int b)
{
  if (a == b)
    return true;
  isl_set *x = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[a].domain));
  isl_set *y = isl_set_reset_tuple_id(isl_set_copy(scop->stmts[b].domain));
  isl_bool equal = isl_set_plain_is_equal(x, y);
  isl_set_free(x);
  isl_set_free(y);
  return equal == isl_bool_true;
}

/* Does each instance of A hand a value over to one of B, in the same iteration or the next? */
static bool hands_over(const struct places *places, int a, int b)
{
  struct tsr_scop *scop = places->scop;
  if (places->of[a].loop < 0 || places->of[a].loop != places->of[b].loop)
    return false;
  for (int k = 0; k < scop->stmts[a].n_access; k++) {
    int array = scop->stmts[a].access[k].array;
    if (scop->stmts[a].access[k].kind != TSR_READ && scop->arrays[array].kind == TSR_ARRAY_SCALAR &&
        reads_first(&scop->stmts[b], array) && is_only_writer(places, a, array))
      return run_together(scop, a, b);
  }
  return false;
}

/* Is there a way from AT to GOAL along EDGES, an N x N matrix? SEEN: where it has been. */
static bool leads_to(const bool *edges, int n, int at, int goal, bool *seen)
{
  for (int next = 0; next < n; next++) {
    if (!edges[at * n + next] || (seen[next] && next != goal))
      continue;
    if (next == goal)
      return true;
    seen[next] = true;
    if (leads_to(edges, n, next, goal, seen))
      return true;
  }
  return false;
}

/* Is STMT alone in its loop, and changes nothing as a rule? Then most of its instances need not wait (rare_changes.c). */
static bool is_rare(const struct places *places, int stmt)
{
  bool rare = places->scop->stmts[stmt].rare;
  for (int i = 0; i < places->scop->n_stmt && rare; i++)
    rare = i == stmt || places->of[i].loop != places->of[stmt].loop;
  return rare;
}

/* Mark those on a cycle, and all that are linked to them. */
static isl_stat find_rigid(struct places *places)
{
  int n = places->scop->n_stmt;
  bool *edges = calloc((size_t)n * n + 1, sizeof(*edges)), *seen = calloc(n + 1, sizeof(*seen)), again = true;
  for (int a = 0; edges && a < n; a++)
    for (int b = 0; b < n; b++)
      edges[a * n + b] = hands_over(places, a, b);
  for (int i = 0; edges && seen && i < n; i++) {
    for (int k = 0; k < n; k++)
      seen[k] = false;
    places->of[i].rigid = !is_rare(places, i) && leads_to(edges, n, i, i, seen);
  }
  while (edges && seen && again) {
    again = false;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++)
        if (edges[a * n + b] && places->of[a].rigid != places->of[b].rigid)
          places->of[a].rigid = places->of[b].rigid = again = true;
  }
  isl_stat ok = edges && seen ? isl_stat_ok : isl_stat_error;
  free(edges);
  free(seen);
  return ok;
}

/* Does no other statement access a MEMORY array that statement STMT does, but those in fewer loops, with which it can't
 * share what is in the cache? */
static bool is_alone(const struct tsr_scop *scop, int stmt)
{
  isl_size depth = isl_set_dim(scop->stmts[stmt].domain, isl_dim_set);
  for (int k = 0; k < scop->stmts[stmt].n_access; k++) {
    int array = scop->stmts[stmt].access[k].array;
    for (int i = 0; i < scop->n_stmt && scop->arrays[array].kind == TSR_ARRAY_MEMORY; i++)
      for (int j = 0; j < scop->stmts[i].n_access && i != stmt; j++)
        if (scop->stmts[i].access[j].array == array && isl_set_dim(scop->stmts[i].domain, isl_dim_set) >= depth)
          return false;
  }
  return true;
}

/* Which arrays do statements of PART, or of all parts if it is -1, share, directly or by way of others? Each in FIRST has
 * the first of those that it is linked to. */
static void link_arrays(const struct places *places, int part, int *first)
{
  const struct tsr_scop *scop = places->scop;
  for (int i = 0; i < scop->n_array; i++)
    first[i] = i;
  for (int s = 0; s < scop->n_stmt; s++) {
    int with = -1;
    for (int k = 0; k < scop->stmts[s].n_access && (part < 0 || places->of[s].part == part); k++) {
      int array = scop->stmts[s].access[k].array;
      if (scop->arrays[array].kind != TSR_ARRAY_MEMORY)
        continue;
      int from = first[array], to = with < 0 ? from : first[with];
      with = array;
      for (int i = 0; i < scop->n_array && from != to; i++)
        if (first[i] == from || first[i] == to)
          first[i] = from < to ? from : to;
    }
  }
}

/* The lines of ARRAY that PART brings in at least, by level of caches. Statements may share them. */
static double least_lines(const struct places *places, const struct tsr_least *of, int part, int array, int level)
{
  double most = 0;
  for (int s = 0; s < places->scop->n_stmt; s++)
    for (int k = 0; k < places->scop->stmts[s].n_access && (part < 0 || places->of[s].part == part); k++) {
      double cost = of[s].lines ? of[s].lines[k * TSR_LEVELS + level] : 0;
      if (places->scop->stmts[s].access[k].array == array && cost > most)
        most = cost;
    }
  return most;
}

/* What no schedule of PART, or of all parts if it is -1, costs less than: statements wait for their instructions or for
 * lines, those that share no array on their own. FIRST: room for a number an array. */
static struct tsr_least least_of(const struct places *places, const struct tsr_least *of, int part, int *first)
{
  const struct tsr_scop *scop = places->scop;
  struct tsr_least sum = {0};
  link_arrays(places, part, first);
  for (int group = -1; group < scop->n_array; group++) { /* -1: statements without arrays */
    double cost = 0;
    for (int s = 0; s < scop->n_stmt; s++) {
      int at = -1;
      for (int k = 0; k < scop->stmts[s].n_access && at < 0; k++)
        if (scop->arrays[scop->stmts[s].access[k].array].kind == TSR_ARRAY_MEMORY)
          at = first[scop->stmts[s].access[k].array];
      if (at != group || (part >= 0 && places->of[s].part != part))
        continue;
      sum.before += of[s].before;
      sum.instances += of[s].instances;
      cost += of[s].least;
    }
    for (int level = 0; level < TSR_LEVELS && group >= 0; level++) {
      double lines = 0;
      for (int array = 0; array < scop->n_array; array++)
        lines += first[array] == group ? least_lines(places, of, part, array, level) : 0;
      cost = lines > cost ? lines : cost;
    }
    sum.least += cost;
  }
  return sum;
}

/* May loops of SCOP store past the caches: does a statement write an array that it doesn't read? */
static bool may_stream(const struct tsr_scop *scop)
{
  bool may = false;
  for (int i = 0; i < scop->n_stmt && scop->machine.stream_line > 0 && !may; i++) {
    const struct tsr_stmt *stmt = &scop->stmts[i];
    for (int k = 0; k < stmt->n_access && !may; k++) {
      may = stmt->access[k].kind == TSR_MUST_WRITE && scop->arrays[stmt->access[k].array].kind == TSR_ARRAY_MEMORY;
      for (int l = 0; l < stmt->n_access && may; l++)
        may = stmt->access[l].kind != TSR_READ || stmt->access[l].array != stmt->access[k].array;
    }
  }
  return may;
}

/* No schedule is worth it for all of the SCoP, nor for a part of it alone. Trips are those in the middle of the loops
 * around: in another order there may be fewer. But of some 300 nests of kernels, GSL and opus none ended below its bound. */
static bool is_not_worth(const struct places *places, const struct tsr_least *of, int n_check)
{
  int *first = calloc(places->scop->n_array + 1, sizeof(*first));
  bool worth = first == NULL;
  for (int i = 0; i < places->scop->n_stmt && !worth; i++) /* caches alone don't tell: tsr_profit_estimate */
    worth = of[i].several && !tsr_profit_is_too_few(of[i].instances);
  for (int part = 0; places->n_part > 1 && part < places->n_part && !worth; part++) {
    struct tsr_least sum = least_of(places, of, part, first);
    worth = !tsr_profit_is_too_few(sum.instances) && tsr_profit_is_worth(sum.before, sum.least, 0);
  }
  struct tsr_least all = worth ? (struct tsr_least){0} : least_of(places, of, -1, first);
  free(first);
  return !worth && !tsr_profit_is_worth(all.before, all.least, n_check) &&
         !(all.least < MIN_GAIN_OF_STREAMS * all.before && may_stream(places->scop));
}

/* What the original order costs, with its vector loops: in OF, and for the caller. */
static isl_stat find_costs(struct tsr_scop *scop, struct tsr_least *of, struct tsr_estimate *before, double **by_stmt)
{
  *by_stmt = calloc(scop->n_stmt + 1, sizeof(**by_stmt));
  isl_stat ok = *by_stmt ? tsr_tree_cost(scop, scop->schedule, false, false, before, *by_stmt) : isl_stat_error;
  for (int i = 0; i < scop->n_stmt && ok == isl_stat_ok; i++)
    of[i].before = (*by_stmt)[i];
  if (ok < 0) {
    free(*by_stmt);
    *by_stmt = NULL;
  }
  return ok;
}

/* ---- lanes of an outer loop (lanes.c), where even what is chained to its innermost loop may run faster ---- */

/* Is STMT the only one to write the SCALAR array ARRAY, which nothing is in before? */
static bool is_only_source(const struct tsr_scop *scop, int stmt, int array)
{
  bool only = !scop->arrays[array].live_in;
  for (int i = 0; i < scop->n_stmt && only; i++)
    only = i == stmt || !writes(&scop->stmts[i], array);
  return only;
}

static bool reads(const struct tsr_stmt *stmt, int array)
{
  for (int k = 0; k < stmt->n_access; k++)
    if (stmt->access[k].array == array && stmt->access[k].kind == TSR_READ)
      return true;
  return false;
}

/* Does STMT hand a value in a SCALAR array over to a statement that can't run in lanes? */
static bool feeds_no_lane(const struct tsr_scop *scop, int stmt, const bool *lanes)
{
  for (int k = 0; k < scop->stmts[stmt].n_access; k++) {
    int array = scop->stmts[stmt].access[k].array;
    if (scop->stmts[stmt].access[k].kind == TSR_READ || scop->arrays[array].kind != TSR_ARRAY_SCALAR ||
        !is_only_source(scop, stmt, array))
      continue;
    for (int i = 0; i < scop->n_stmt; i++)
      if (!lanes[i] && reads(&scop->stmts[i], array) && isl_set_is_empty(scop->stmts[i].domain) == isl_bool_false)
        return true;
  }
  return false;
}

/* Which statements may run in lanes of an outer loop? Whoever reads the SCALAR arrays that they write must be in the same
 * loop of lanes: a lane keeps its values for itself. NULL: out of memory. */
static bool *find_lanes(const struct tsr_scop *scop)
{
  bool *lanes = calloc(scop->n_stmt + 1, sizeof(*lanes)), again = lanes != NULL;
  for (int i = 0; lanes && i < scop->n_stmt; i++)
    lanes[i] = scop->stmts[i].lane_bytes != 0;
  while (again) {
    again = false;
    for (int i = 0; i < scop->n_stmt; i++)
      if (lanes[i] && feeds_no_lane(scop, i, lanes)) {
        lanes[i] = false;
        again = true;
      }
  }
  return lanes;
}

/* Are the iterations of MEMBER of the band at NODE serial, by what GROUP does? Many statements ask that. */
struct serial {
  isl_schedule_node *node;
  int member;
  bool *group, is;
};

/* Where statements that stay in their innermost loop are looked at again: is there a loop around for their lanes? */
struct around {
  struct places *places;
  const struct tsr_least *of;
  bool *lanes, *group; /* by statement; GROUP: room */
  int stmt;            /* of the leaf at hand, its rigid one; -1: none */
  struct tsr_source *sources;
  struct serial *known;
  int n_known;
};

/* Mark in GROUP the statements that STMT is linked to by SCALAR arrays that are written: their lanes are the same. */
static void find_group(const struct tsr_scop *scop, int stmt, bool *group)
{
  bool again = true;
  for (int i = 0; i < scop->n_stmt; i++)
    group[i] = i == stmt;
  while (again) {
    again = false;
    for (int array = 0; array < scop->n_array; array++) {
      bool linked = false, written = false;
      for (int i = 0; i < scop->n_stmt && scop->arrays[array].kind == TSR_ARRAY_SCALAR; i++) {
        written |= writes(&scop->stmts[i], array);
        linked |= group[i] && (writes(&scop->stmts[i], array) || reads(&scop->stmts[i], array));
      }
      for (int i = 0; i < scop->n_stmt && linked && written; i++)
        if (!group[i] && (writes(&scop->stmts[i], array) || reads(&scop->stmts[i], array)))
          group[i] = again = true;
    }
  }
}

/* Do the iterations of MEMBER of the band at NODE depend on each other, by what AROUND's group does? */
static bool find_serial(isl_schedule_node *node, const struct around *around, int member)
{
  isl_schedule_node *band = isl_schedule_node_copy(node);
  if (member > 0)
    band = isl_schedule_node_child(isl_schedule_node_band_split(band, member), 0);
  isl_bool conflict = tsr_band_has_conflict(band, around->places->scop, around->group, around->sources);
  isl_schedule_node_free(band);
  return conflict == isl_bool_true;
}

/* The same, if it isn't known. */
static bool is_serial(isl_schedule_node *node, struct around *around, int member)
{
  size_t size = around->places->scop->n_stmt * sizeof(*around->group);
  for (int i = 0; i < around->n_known; i++)
    if (around->known[i].member == member && !memcmp(around->known[i].group, around->group, size) &&
        isl_schedule_node_is_equal(around->known[i].node, node) == isl_bool_true)
      return around->known[i].is;
  bool is = find_serial(node, around, member), *group = malloc(size + 1);
  struct serial *more = realloc(around->known, (around->n_known + 1) * sizeof(*more));
  around->known = more ? more : around->known;
  if (group && more) {
    memcpy(group, around->group, size);
    around->known[around->n_known++] = (struct serial){isl_schedule_node_copy(node), member, group, is};
  } else {
    free(group);
  }
  return is;
}

static isl_stat take_rigid(isl_set *domain, void *user)
{
  struct around *around = user;
  int stmt = tsr_scop_find_stmt(around->places->scop, isl_set_get_tuple_name(domain));
  if (stmt >= 0 && around->lanes[stmt] && around->of[stmt].hold != TSR_HOLD_NONE)
    around->stmt = stmt;
  isl_set_free(domain);
  return isl_stat_ok;
}

/* The rigid statement of LEAF has no lanes where all loops around its innermost one are serial in the original order. */
static isl_stat look_around(isl_schedule_node *leaf, void *user)
{
  struct around *around = user;
  isl_union_set *domain = isl_schedule_node_get_domain(leaf);
  around->stmt = -1;
  isl_stat ok = isl_union_set_foreach_set(domain, take_rigid, around);
  isl_union_set_free(domain);
  if (ok < 0 || around->stmt < 0)
    return ok;
  find_group(around->places->scop, around->stmt, around->group);
  bool innermost = true, serial = true;
  isl_schedule_node *node = isl_schedule_node_copy(leaf);
  while (serial && isl_schedule_node_has_parent(node) == isl_bool_true) {
    node = isl_schedule_node_parent(node);
    if (isl_schedule_node_get_type(node) != isl_schedule_node_band)
      continue;
    for (int member = isl_schedule_node_band_n_member(node) - 1 - innermost; member >= 0 && serial; member--)
      serial = is_serial(node, around, member);
    innermost = false;
  }
  isl_schedule_node_free(node);
  around->lanes[around->stmt] &= !serial;
  return isl_stat_ok;
}

/* Take out of LANES the rigid statements that no loop around can have lanes for. Are there any? */
static bool drop_lanes(struct places *places, const struct tsr_least *of, bool *lanes)
{
  struct tsr_scop *scop = places->scop;
  bool dropped = false, *group = calloc(scop->n_stmt + 1, sizeof(*group));
  struct tsr_positions *positions = tsr_positions_find(scop);
  struct tsr_source *sources = positions ? tsr_scop_sources(scop, positions) : NULL;
  struct around around = {.places = places, .of = of, .lanes = lanes, .group = group, .sources = sources};
  tsr_positions_free(positions);
  isl_schedule_node *root = isl_schedule_get_root(scop->schedule);
  if (group)
    tsr_node_foreach_leaf(root, look_around, &around);
  for (int i = 0; i < scop->n_stmt; i++)
    dropped |= of[i].lanes && !lanes[i];
  isl_schedule_node_free(root);
  for (int i = 0; i < around.n_known; i++) {
    isl_schedule_node_free(around.known[i].node);
    free(around.known[i].group);
  }
  free(around.known);
  free(around.sources);
  free(group);
  return dropped;
}

/* The bounds of all statements, in OF, which has what is given. */
static isl_stat find_bounds(struct tsr_scop *scop, const bool *lanes, struct tsr_least *of)
{
  for (int i = 0; i < scop->n_stmt; i++) {
    of[i].lanes = lanes[i];
    of[i].before = of[i].least = of[i].instances = 0;
    memset(of[i].lines, 0, scop->stmts[i].n_access * TSR_LEVELS * sizeof(*of[i].lines));
  }
  return tsr_profit_least(scop, of);
}

isl_bool tsr_profit_is_rigid(struct tsr_scop *scop, int n_check, struct tsr_estimate *before, double **by_stmt)
{
  struct places places;
  struct tsr_least *of = calloc(scop->n_stmt + 1, sizeof(*of));
  bool *lanes = find_lanes(scop);
  isl_stat ok = places_init(&places, scop);
  if (ok == isl_stat_ok)
    ok = of && lanes ? find_rigid(&places) : isl_stat_error;
  for (int i = 0; ok == isl_stat_ok && i < scop->n_stmt; i++) {
    if (places.of[i].rigid)
      of[i].hold = is_alone(scop, i) ? TSR_HOLD_ALONE : TSR_HOLD_INNERMOST;
    of[i].lines = calloc((size_t)scop->stmts[i].n_access * TSR_LEVELS + 1, sizeof(*of[i].lines));
    ok = of[i].lines ? isl_stat_ok : isl_stat_error;
  }
  if (ok == isl_stat_ok)
    ok = find_bounds(scop, lanes, of);
  bool not_worth = ok == isl_stat_ok && is_not_worth(&places, of, n_check);
  if (ok == isl_stat_ok && !not_worth && drop_lanes(&places, of, lanes)) {
    ok = find_bounds(scop, lanes, of);
    not_worth = ok == isl_stat_ok && is_not_worth(&places, of, n_check);
  }
  if (ok == isl_stat_ok && !not_worth) {
    ok = find_costs(scop, of, before, by_stmt);
    not_worth = ok == isl_stat_ok && is_not_worth(&places, of, n_check);
  }
  for (int i = 0; of && i < scop->n_stmt; i++)
    free(of[i].lines);
  free(of);
  free(lanes);
  free(places.of);
  return ok < 0 ? isl_bool_error : isl_bool_ok(not_worth);
}
