/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-schedule.h"

static void
launch_clear (AccLaunch *launch)
{
  acc_kernel_unref (launch->kernel);
  g_free (launch->slots);
}

static void
step_clear (AccScheduleStep *step)
{
  g_free (step->name);
  g_free (step->reads);
  g_free (step->writes);
  for (guint i = 0; i < step->n_launches; i++)
    launch_clear (&step->launches[i]);
  g_free (step->launches);
  g_free (step->scratch);
  g_free (step->row_reads);
  g_free (step->row_error);
}

AccSchedule *
acc_schedule_ref (AccSchedule *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
acc_schedule_unref (AccSchedule *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_steps; i++)
    step_clear (&self->steps[i]);
  g_free (self->steps);
  for (guint i = 0; i < self->n_values; i++)
    g_free (self->values[i].extents);
  g_free (self->values);
  for (guint i = 0; i < self->n_results; i++)
    acc_shape_unref (self->result_shapes[i]);
  g_free (self->result_shapes);
  g_free (self->results);
  g_ptr_array_unref (self->origins);
  g_ptr_array_unref (self->nodes);
  g_free (self);
}

static guint64
count_elements (const AccScheduleValue *value)
{
  guint64 n = 1;

  for (guint d = 0; d < value->rank; d++)
    n *= (guint64) value->extents[d];

  return n;
}

guint64
acc_schedule_get_bytes (AccSchedule *self,
                        guint        value)
{
  return count_elements (&self->values[value]) * acc_element_type_get_size (self->values[value].type);
}

guint64
acc_schedule_get_buffer_bytes (AccSchedule *self,
                               guint        value,
                               guint        buffer)
{
  return count_elements (&self->values[value]) * acc_element_type_get_buffer_size (self->values[value].type, buffer);
}
