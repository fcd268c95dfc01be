/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-traffic.h"

#include "acc-backends/kernel/acc-kernel-private.h"

#define ANY_VALUE -1

typedef enum {
  TOUCH_READ  = 1 << 0,
  TOUCH_WRITE = 1 << 1,
} Touch;

/* What the kernel does with each of its parameters. */
static Touch *
find_touches (AccKernel *kernel)
{
  Touch *touches = g_new0 (Touch, kernel->params->len + 1);

  for (guint b = 1; b < kernel->blocks->len; b++)
    {
      GArray *items = acc_kernel_block (kernel, b)->items;

      for (guint i = 0; i < items->len; i++)
        {
          const AccKernelInstr *instr = acc_kernel_instr (kernel, g_array_index (items, guint32, i));
          Touch touch = instr->op == ACC_KOP_LOAD ? TOUCH_READ
                        : instr->op == ACC_KOP_STORE ? TOUCH_WRITE
                        : instr->op == ACC_KOP_ATOMIC || instr->op == ACC_KOP_CAS ? TOUCH_READ | TOUCH_WRITE : 0;

          if (touch != 0 && (instr->args[0] & ACC_KERNEL_SHARED) == 0)
            touches[instr->args[0]] |= touch;
        }
    }

  return touches;
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
      return step->scratch[slot->scratch];
    case ACC_SLOT_LITERAL:
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
      g_autofree Touch *touches = find_touches (launch->kernel);

      for (guint s = 0; s < launch->n_slots; s++)
        {
          AccSlot *slot = &launch->slots[s];
          guint64 bytes;

          if (value != ANY_VALUE && !(slot->kind == ACC_SLOT_BUFFER && (int) slot->value == value))
            continue;
          bytes = get_slot_bytes (self, step, slot, cached);
          traffic.read += touches[s] & TOUCH_READ ? bytes : 0;
          traffic.written += touches[s] & TOUCH_WRITE ? bytes : 0;
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
