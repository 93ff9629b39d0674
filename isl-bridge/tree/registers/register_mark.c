/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The marks of register tiles as text. */
#include "tree/registers/registers.h"
#include <isl/id.h>
#include <string.h>

#define PREFIX TSR_MARK_REGISTERS " "

int tsr_step_read(const char **text, long step[TSR_MAX_DIM])
{
  int n_dim = 0, n = 0;
  for (; n_dim < TSR_MAX_DIM && sscanf(*text, "%ld%n", &step[n_dim], &n) == 1; n_dim++) {
    *text += n;
    *text += **text == ',';
  }
  return n_dim;
}

bool tsr_register_tile_read(const char *name, struct tsr_register_tile *tile)
{
  int used = 0;
  static const char along[] = "] along [";
  *tile = (struct tsr_register_tile){0};
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  name += strlen(PREFIX);
  if (sscanf(name, "%dx%dx%d over %d by [%n", &tile->rows, &tile->vectors, &tile->lanes, &tile->n_reduction, &used) != 4 ||
      !used)
    return false;
  name += used;
  tile->n_dim = tsr_step_read(&name, tile->step);
  tile->streams = strncmp(name, along, strlen(along)) == 0;
  if (tile->streams) {
    name += strlen(along);
    if (tsr_step_read(&name, tile->along) != tile->n_dim || tile->n_reduction == 0)
      return false;
  }
  return sscanf(name, "] at %lf", &tile->cycles) == 1 && tile->n_reduction >= 0 && tile->rows > 0 && tile->vectors > 0 &&
         tile->lanes > 0;
}

int tsr_step_print(char *text, size_t size, const char *what, const long *step, int n)
{
  int at = snprintf(text, size, " %s [", what);
  for (int i = 0; i < n; i++)
    at += snprintf(text + at, size - at, "%s%ld", i ? "," : "", step[i]);
  return at + snprintf(text + at, size - at, "]");
}

isl_id *tsr_register_tile_id(isl_ctx *ctx, const struct tsr_register_tile *tile)
{
  char name[1024];
  int at =
      snprintf(name, sizeof(name), PREFIX "%dx%dx%d over %d", tile->rows, tile->vectors, tile->lanes, tile->n_reduction);
  at += tsr_step_print(name + at, sizeof(name) - at, "by", tile->step, tile->n_dim);
  if (tile->streams)
    at += tsr_step_print(name + at, sizeof(name) - at, "along", tile->along, tile->n_dim);
  snprintf(name + at, sizeof(name) - at, " at %.3g", tile->cycles);
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
