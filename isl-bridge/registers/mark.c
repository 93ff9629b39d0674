/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The marks of register tiles as text. */
#include "registers.h"
#include <isl/id.h>
#include <string.h>

#define PREFIX TSR_MARK_REGISTERS " "

bool tsr_register_tile_read(const char *name, struct tsr_register_tile *tile)
{
  int used = 0, n = 0;
  *tile = (struct tsr_register_tile){0};
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  name += strlen(PREFIX);
  if (sscanf(name, "%dx%dx%d over %d by [%n", &tile->rows, &tile->vectors, &tile->lanes, &tile->n_reduction, &used) != 4 ||
      !used)
    return false;
  for (name += used; tile->n_dim < TSR_MAX_DIM && sscanf(name, "%ld%n", &tile->step[tile->n_dim], &n) == 1; tile->n_dim++) {
    name += n;
    name += *name == ',';
  }
  return sscanf(name, "] at %lf", &tile->cycles) == 1 && tile->n_reduction >= 0 && tile->rows > 0 && tile->vectors > 0 &&
         tile->lanes > 0;
}

isl_id *tsr_register_tile_id(isl_ctx *ctx, const struct tsr_register_tile *tile)
{
  char name[512];
  int at = snprintf(name, sizeof(name), PREFIX "%dx%dx%d over %d by [", tile->rows, tile->vectors, tile->lanes,
                    tile->n_reduction);
  for (int i = 0; i < tile->n_dim; i++)
    at += snprintf(name + at, sizeof(name) - at, "%s%ld", i ? "," : "", tile->step[i]);
  snprintf(name + at, sizeof(name) - at, "] at %.3g", tile->cycles);
  return isl_id_alloc(ctx, name, NULL);
}

bool tsr_node_is_registers(isl_schedule_node *node, struct tsr_register_tile *tile)
{
  if (isl_schedule_node_get_type(node) != isl_schedule_node_mark)
    return false;
  isl_id *id = isl_schedule_node_mark_get_id(node);
  bool is = id && tsr_register_tile_read(isl_id_get_name(id), tile);
  isl_id_free(id);
  return is;
}
