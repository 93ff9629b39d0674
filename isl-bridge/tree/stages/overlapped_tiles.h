/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What overlapped tiles are made of: overlapped_tiles.c chooses, tile_producers.c says what is worth it, tile_rests.c what
 * is left to run behind them, joined_stages.c joins, tiled_program.c writes the program. */
#ifndef TSR_OVERLAPPED_TILES_H
#define TSR_OVERLAPPED_TILES_H

#include "tree/cached_arrays.h"
#include "tree/stages/outer_nests.h"

/* What a producer writes: an array of its own. */
struct tsr_product {
  struct tsr_cached cache; /* of the array: what is read of it in tiles, what is written, a box around that */
  isl_map *writes;         /* { [b] -> X[e] } */
  isl_map *to_buffer;      /* { [[t] -> X[e]] -> P[b] } */
  int buffer;              /* the array, of the new program */
  isl_set *lasting;        /* { X[e] } that tiles must store in X itself, for those behind the SCoP or for rests of others */
  bool direct;             /* do tiles write X itself? Then there is no buffer */
  bool held;               /* is it one element, for an iteration of the nest that it is written and read in? */
  bool again;              /* does a stage in front of this one write the array, too? Its product stands for all of them */
};

/* A stage in the tiles. */
struct tsr_member {
  const struct tsr_nest *stage;
  bool producer;
  bool kept;             /* does the stage run by itself, too, as it did? */
  isl_map *runs;         /* { [t] -> [b] } */
  isl_multi_aff *corner; /* { [t] -> [b] }, of producers: 0 in dimensions that have none */
  isl_set *sure;         /* { [b] } that tiles run, for what is read in them; of producers */
  isl_set *rest;         /* { [b] } that run behind the tiles, as somebody needs them there; of producers */
  struct tsr_product *product;
  int n_product;
  int joined; /* the first member, in the order in which they run, of those that share its loops */
};

struct tsr_tiles {
  struct tsr_program *program;
  struct tsr_scop *scop;
  isl_set *times;            /* { [t] } */
  struct tsr_member *member; /* the tiled one, then producers, the last one first */
  int n;
  double n_tile, bytes; /* how many there are, about; bytes of all buffers */
  bool large;           /* are there too many for one more? */
  bool overlapping;     /* was there a stage of which tiles would compute too much again? */
  bool asked;           /* were sizes asked for? Then all goes into the tiles that can */
  bool *banned;         /* arrays of which tiles have no results: not all stages that write them would be there, say */
};

/* ---- tile_members.c ---- */

/* The member that statement STMT belongs to; NULL: it doesn't run in the tiles. */
struct tsr_member *tsr_tiles_find(struct tsr_tiles *tiles, int stmt);
/* The product of which ARRAY is the array, that of the first stage that writes it; NULL: none. Is there a buffer for it? */
struct tsr_product *tsr_tiles_product(struct tsr_tiles *tiles, int array);
static inline bool tsr_product_has_buffer(const struct tsr_product *p)
{
  return p && !p->direct;
}
/* { [t] -> S[i] } of statement NUMBER, which belongs to M. */
__isl_give isl_map *tsr_member_runs(struct tsr_tiles *tiles, const struct tsr_member *m, int number);
/* F(t) of ARRAY, which the stage OWN writes, or a hull of it, which is found sooner. NULL: nobody in the tiles reads it. */
__isl_give isl_map *tsr_tiles_footprint(struct tsr_tiles *tiles, int array, const struct tsr_nest *own, bool exact);
/* { S[i] -> X[e] } of access K of statement NUMBER, which belongs to M, for what M runs by itself. */
__isl_give isl_map *tsr_member_rest(struct tsr_tiles *tiles, const struct tsr_member *m, int number, int k);
/* Does MAP, NULL allowed, go to elements that aren't in SET? */
bool tsr_map_reaches_beyond(__isl_keep isl_map *map, __isl_keep isl_set *set);

/* { X[e] } that stages in the tiles write of ARRAY, but for the tiled one. */
__isl_give isl_set *tsr_tiles_written(struct tsr_tiles *tiles, int array);

/* ---- tile_producers.c ---- */

/* Is the stage of M, which writes arrays as WRITTEN says, read by the tiles, and by nobody else? Or is it worth being
 * computed there besides: it is kept then. */
bool tsr_tiles_want(struct tsr_tiles *tiles, struct tsr_member *m, const bool *written);
/* Is what P stands for read behind the SCoP? */
bool tsr_product_is_live(struct tsr_tiles *tiles, const struct tsr_product *p);
/* Are all stages in the tiles that write an array with others, and does the first of them read nothing there that was there
 * before? Else the array is banned. */
bool tsr_tiles_are_whole(struct tsr_tiles *tiles);

/* ---- tile_rests.c ---- */

/* Find what tiles store and what runs behind them. */
void tsr_tiles_find_rests(struct tsr_tiles *tiles);

/* ---- joined_stages.c ---- */

/* Find which members share loops, and which products are held. */
void tsr_tiles_join(struct tsr_tiles *tiles);
/* TREE, without extensions, of PROGRAM, in which members that share loops do. NAME[s]: the copy of statement s of the tiles'
 * SCoP, or itself; NULL: it doesn't run in the tiles. */
__isl_give isl_schedule *tsr_tiles_join_tree(struct tsr_tiles *tiles, struct tsr_program *program,
                                             __isl_take isl_schedule *tree, char *const *name);

/* ---- tiled_program.c ---- */

/* The program with TILES, whose point band is NODE. */
__isl_give struct tsr_program *tsr_tiles_program(struct tsr_tiles *tiles, __isl_take isl_schedule_node *node);

#endif
