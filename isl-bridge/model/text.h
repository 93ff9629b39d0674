/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the text form share: text_write.c writes, text_yaml.c reads leaves and mappings, text_tree.c reads
 * schedule trees, text_read.c whole SCoPs. */
#ifndef TESSERA_TEXT_INTERNAL_H
#define TESSERA_TEXT_INTERNAL_H

#include "model/model.h"
#include <isl/stream.h>
#include <yaml.h>

/* The words that stand for enumerators, each indexed by its enum. */
extern const char *const tsr_access_kind_names[TSR_MUST_WRITE + 1];
extern const char *const tsr_reduction_names[TSR_RED_UMAX + 1];
extern const char *const tsr_array_kind_names[TSR_ARRAY_SCALAR + 1];
extern const char *const tsr_space_names[TSR_N_SPACE];
extern const char *const tsr_stmt_kind_names[TSR_STMT_BARRIER + 1];

/* A file being read. Its isl_ctx continues on errors meanwhile; the first refusal is stored in *error. */
struct tsr_reader {
  isl_ctx *ctx;
  const char *filename;
  char **error;
  yaml_document_t document;
  int on_error; /* what the ctx did on errors before */
  bool refused;
  struct tsr_scop *scop; /* what is built, or what an influence tree is for */
  int n_branch;          /* of an influence tree so far */
  bool transformed;      /* is it part of a transformed program? */
};

struct tsr_key {
  const char *name;
  bool required;
};

/* Load the only document of IN and return its root; NULL after a refusal. Ends with tsr_reader_close in any case. */
yaml_node_t *tsr_reader_open(struct tsr_reader *r, isl_ctx *ctx, FILE *in, const char *filename, char **error);
void tsr_reader_close(struct tsr_reader *r);

/* Say what is wrong at a place; always false. */
__attribute__((format(printf, 3, 4))) bool tsr_refuse_at(struct tsr_reader *r, yaml_mark_t mark, const char *format, ...);
#define tsr_refuse(r, node, ...) tsr_refuse_at(r, (node)->start_mark, __VA_ARGS__)

/* The text of NODE, the value of KEY, owned by the document; NULL if it is empty or not text. */
const char *tsr_text_read_text(struct tsr_reader *r, yaml_node_t *node, const char *key);
/* A number from LEAST up; true, false; the index of one of N words. *OUT keeps its value when NODE is NULL. */
bool tsr_text_read_number(struct tsr_reader *r, yaml_node_t *node, const char *key, int least, int *out);
bool tsr_text_read_bool(struct tsr_reader *r, yaml_node_t *node, const char *key, bool *out);
bool tsr_text_read_word(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *const *words, int n, int *out);
/* A valid name that no earlier WHAT has; FOUND is the index of an earlier one or -1. */
bool tsr_text_check_name(struct tsr_reader *r, yaml_node_t *node, const char *name, const char *what, int found);

/* A stream over NODE's text (NULL if it has none), and its end: was all of it read into OBJECT? */
isl_stream *tsr_text_open_stream(struct tsr_reader *r, yaml_node_t *node, const char *key);
bool tsr_text_close_stream(struct tsr_reader *r, isl_stream *stream, const void *object, yaml_node_t *node, const char *key,
                           const char *example);
__isl_give isl_set *tsr_text_read_set(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *example);
__isl_give isl_map *tsr_text_read_map(struct tsr_reader *r, yaml_node_t *node, const char *key, const char *example);

/* Match the mapping NODE, a WHAT, against KEYS: value[i] is the value of keys[i], NULL if absent. */
bool tsr_text_read_keys(struct tsr_reader *r, yaml_node_t *node, const char *what, const struct tsr_key *keys, int n,
                        yaml_node_t **value);

/* The schedule tree that NODE is. */
__isl_give isl_schedule *tsr_text_read_schedule(struct tsr_reader *r, yaml_node_t *node);

#endif
