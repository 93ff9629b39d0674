/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cp.async: copies from global to shared memory that come some time before the thread has waited for their group.
 *
 *     cp.async [to], [from], size     `from` is read and `to` written, for races; but `to` is uninitialised from now on
 *     cp.async.commit_group           what the thread has started since the last one is a group
 *     cp.async.wait_group N           all groups but the last N arrive: `to` is written, by the thread that waits, now
 *
 * So who reads too early, or in another thread without a barrier behind the wait, is found. */
#include "ptx.h"
#include <string.h>

/* The addresses and sizes of a lane's copy */
static struct ptx_pending pending_of(const struct ptx_warp *w, const struct ptx_inst *i, int lane)
{
  struct ptx_pending p = {.inst = i, .lane = lane, .group = w->groups[lane]};
  p.to = PTX_ROW(w, i->s[0])[lane] + (uint64_t)i->offset;
  p.from = PTX_ROW(w, i->s[1])[lane] + (uint64_t)i->offset_from;
  p.size = (uint32_t)PTX_ROW(w, i->s[2])[lane];
  p.bytes = (uint32_t)PTX_ROW(w, i->s[3])[lane];
  p.bytes = p.bytes < p.size ? p.bytes : p.size;
  return p;
}

/* Is it right, for this thread and now? Fills in both sides. */
static bool check_sides(struct ptx_warp *w, const struct ptx_pending *p, struct ptx_place *to, struct ptx_place *from)
{
  if (p->bytes && !ptx_access_check(w, p->inst, p->lane, p->from, p->size, PTX_READ, from))
    return false;
  return ptx_access_check(w, p->inst, p->lane, p->to, p->size, PTX_WRITE, to);
}

/* The requests of all lanes, at both sides */
static void count(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  struct ptx_inst from = *i;
  unsigned size = (unsigned)PTX_ROW(w, i->s[2])[__builtin_ctz(mask)];
  from.s[0] = i->s[1];
  from.offset = i->offset_from;
  ptx_access_count(w, &from, mask, true, size);
  ptx_access_count(w, i, mask, false, size);
}

void ptx_run_async_copy(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  struct ptx_place to, from;
  if (w->launch->count)
    count(w, i, mask);
  PTX_EACH(mask, l, {
    struct ptx_pending p = pending_of(w, i, l);
    if ((p.size != 4 && p.size != 8 && p.size != 16) || !ptx_grow(&w->pending, w->n_pending, &w->size_pending, sizeof p)) {
      ptx_fault(w, i, l, PTX_LAUNCH_FAILED, "async", "%u bytes", p.size);
      return;
    }
    if (!check_sides(w, &p, &to, &from))
      return;
    memset(to.valid, 0, p.size);
    w->pending[w->n_pending++] = p;
  })
}

void ptx_run_async_commit(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  (void)i;
  PTX_EACH(mask, l, w->groups[l]++)
}

/* A copy that was started arrives. */
static void arrive(struct ptx_warp *w, const struct ptx_pending *p)
{
  struct ptx_place to, from;
  if (!check_sides(w, p, &to, &from))
    return;
  memset(to.data, 0, p->size);
  if (p->bytes)
    memcpy(to.data, from.data, p->bytes);
  memset(to.valid, 1, p->size);
}

/* Those of LANE and of groups before number GROUP */
static void arrive_before(struct ptx_warp *w, int lane, uint32_t group)
{
  int n = 0;
  for (int k = 0; k < w->n_pending; k++)
    if (w->pending[k].lane == lane && w->pending[k].group < group)
      arrive(w, &w->pending[k]);
    else
      w->pending[n++] = w->pending[k];
  w->n_pending = n;
}

void ptx_run_async_wait(struct ptx_warp *w, const struct ptx_inst *i, uint32_t mask)
{
  PTX_EACH(mask, l, {
    uint32_t but = (uint32_t)PTX_ROW(w, i->s[0])[l];
    uint32_t group = i->how == 'a' ? w->groups[l] + 1 : w->groups[l] > but ? w->groups[l] - but : 0;
    arrive_before(w, l, group);
  })
}
