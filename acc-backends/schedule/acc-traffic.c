/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-traffic.h"

#include "acc-backends/ir/acc-kernel-private.h"

#define ANY_VALUE (-1)

static gboolean
reads (const AccLaunch *launch,
       guint            slot)
{
  return (acc_kernel_param (launch->kernel, slot)->flags & ACC_BUFFER_READ) != 0;
}

/* Whether one that sweeps along with launch number @i, before it, reads what @slot is: then it is in the cache. */
static gboolean
is_swept (const AccScheduleStep *step,
          guint                  i,
          const AccSlot         *slot)
{
  while (i-- > 0 && step->launches[i].sweeps)
    for (guint s = 0; s < step->launches[i].n_slots; s++)
      {
        const AccSlot *other = &step->launches[i].slots[s];

        if (slot->kind == ACC_SLOT_BUFFER && other->kind == ACC_SLOT_BUFFER && other->value == slot->value && other->buffer == slot->buffer
            && reads (&step->launches[i], s))
          return TRUE;
      }

  return FALSE;
}

static guint64
get_slot_bytes (AccSchedule     *self,
                AccScheduleStep *step,
                const AccSlot   *slot,
                const gboolean  *cached)
{
  switch (slot->kind)
    {
    case ACC_SLOT_BUFFER:
      return cached != NULL && cached[slot->value] ? 0 : acc_schedule_get_buffer_bytes (self, slot->value, slot->buffer);
    case ACC_SLOT_SCRATCH:
      /* Private memory of tiles stays in the caches. */
      return step->scratch[slot->scratch].tile_bytes > 0 ? 0 : step->scratch[slot->scratch].bytes;
    case ACC_SLOT_LITERAL:
    case ACC_SLOT_N_WORKERS:
    default:
      return 0;
    }
}

static AccTraffic
count (AccSchedule    *self,
       guint           number,
       int             value,
       const gboolean *cached)
{
  AccScheduleStep *step = &self->steps[number];
  AccTraffic traffic = { .n_steps = 1, .n_kernels = step->n_launches };

  for (guint i = 0; i < step->n_launches; i++)
    {
      AccLaunch *launch = &step->launches[i];

      for (guint s = 0; s < launch->n_slots; s++)
        {
          AccSlot *slot = &launch->slots[s];
          guint64 bytes;

          if (value != ANY_VALUE && !(slot->kind == ACC_SLOT_BUFFER && (int) slot->value == value))
            continue;
          bytes = get_slot_bytes (self, step, slot, cached);
          traffic.read += reads (launch, s) && !is_swept (step, i, slot) ? bytes : 0;
          traffic.written += acc_kernel_param (launch->kernel, s)->flags & ACC_BUFFER_WRITE ? bytes : 0;
        }
    }

  return traffic;
}

AccTraffic
acc_schedule_count_step (AccSchedule    *self,
                         guint           step,
                         const gboolean *cached)
{
  return count (self, step, ANY_VALUE, cached);
}

AccTraffic
acc_schedule_count_edge (AccSchedule *self,
                         guint        step,
                         guint        value)
{
  return count (self, step, (int) value, NULL);
}

AccTraffic
acc_schedule_count_traffic (AccSchedule    *self,
                            const gboolean *cached)
{
  AccTraffic sum = { 0 };

  for (guint i = 0; i < self->n_steps; i++)
    {
      AccTraffic traffic = acc_schedule_count_step (self, i, cached);

      sum.n_steps += traffic.n_steps;
      sum.n_kernels += traffic.n_kernels;
      sum.read += traffic.read;
      sum.written += traffic.written;
    }

  return sum;
}

char *
acc_traffic_to_string (const AccTraffic *self)
{
  return g_strdup_printf ("%u kernel%s, %" G_GUINT64_FORMAT " bytes read, %" G_GUINT64_FORMAT " written",
                          self->n_kernels, self->n_kernels == 1 ? "" : "s", self->read, self->written);
}
