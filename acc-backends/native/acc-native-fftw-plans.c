/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-fftw-private.h"

#include <string.h>

/* Of c8, of c16 */
static AccFftwFunctions functions[2];

static const AccLibrarySymbol narrow_symbols[] = {
  { "fftwf_plan_guru64_dft", (gpointer *) &functions[FALSE].plan }, { "fftwf_execute_dft", (gpointer *) &functions[FALSE].execute },
  { "fftwf_destroy_plan", (gpointer *) &functions[FALSE].destroy }, { NULL, NULL },
};
static const AccLibrarySymbol wide_symbols[] = {
  { "fftw_plan_guru64_dft", (gpointer *) &functions[TRUE].plan }, { "fftw_execute_dft", (gpointer *) &functions[TRUE].execute },
  { "fftw_destroy_plan", (gpointer *) &functions[TRUE].destroy }, { NULL, NULL },
};

static const char *const narrow_names[] = { "libfftw3f.so.3", NULL }, *const wide_names[] = { "libfftw3.so.3", NULL };

static AccLibrary libraries[2] = { { narrow_names, narrow_symbols, 0 }, { wide_names, wide_symbols, 0 } };

/* Rows go in blocks of so many elements, of 8 rows at least, or one by one where they are long: how many rows a plan is for decides how it
 * computes each, and that must follow from their length alone. */
#define BLOCK_ELEMENTS 1024
#define LONG_ROW       (1 << 12)
/* Plans that a backend keeps. */
#define MAX_PLANS      1024

/* The library plans for one thread at a time, in the whole process; it computes for many. */
static GMutex planner;

static guint
key_hash (gconstpointer data)
{
  const AccFftwKey *key = data;

  return (guint) (((((guint64) key->n * 31 + (guint64) key->step) * 31 + (guint64) key->many) * 31 + (guint64) key->sign) * 31
                  + (guint64) key->in_place);
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  return memcmp (a, b, sizeof (AccFftwKey)) == 0;
}

void
acc_fftw_plan_unref (gpointer data)
{
  AccFftwPlan *self = data;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_mutex_lock (&planner);
  if (self->plan != NULL)
    self->functions->destroy (self->plan);
  g_mutex_unlock (&planner);
  g_free (self);
}

static AccFftwPlan *
plan_new (const AccFftwKey *key,
          gpointer          input,
          gpointer          output)
{
  AccFftwPlan *self = g_new0 (AccFftwPlan, 1);
  const AccFftwDimension dimension = { key->n, key->step, key->step }, many = { key->many, key->many_step, key->many_step };

  g_atomic_ref_count_init (&self->ref_count);
  self->key = *key;
  self->functions = &functions[key->is_wide];
  g_mutex_lock (&planner);
  self->plan = self->functions->plan (1, &dimension, 1, &many, input, output, (int) key->sign, (unsigned) key->flags);
  g_mutex_unlock (&planner);

  return self;
}

AccFftwPlan *
acc_fftw_dup_plan (AccFftw          *self,
                   const AccFftwKey *key,
                   gpointer          input,
                   gpointer          output)
{
  AccFftwPlan *plan;

  g_mutex_lock (&self->lock);
  plan = g_hash_table_lookup (self->plans, key);
  if (plan == NULL)
    {
      if (g_hash_table_size (self->plans) >= MAX_PLANS)
        g_hash_table_remove_all (self->plans);
      plan = plan_new (key, input, output);
      g_hash_table_insert (self->plans, &plan->key, plan);
    }
  g_atomic_ref_count_inc (&plan->ref_count);
  g_mutex_unlock (&self->lock);

  return plan;
}

void
acc_fftw_unref (AccFftw *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->plans);
  g_mutex_clear (&self->lock);
  g_free (self);
}

AccFftw *
acc_fftw_new (AccHost *host)
{
  AccFftw *self = g_new0 (AccFftw, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->host = host;
  g_mutex_init (&self->lock);
  self->plans = g_hash_table_new_full (key_hash, key_equal, NULL, acc_fftw_plan_unref);

  return self;
}

AccFftw *
acc_fftw_ref (AccFftw *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

gboolean
acc_fftw_find (gboolean is_wide)
{
  return acc_library_find (&libraries[is_wide]);
}

gint64
acc_fftw_describe_rows (AccFftwKey *key,
                        gint64      n,
                        gsize       size)
{
  gint64 block = n > LONG_ROW ? 1 : MAX (BLOCK_ELEMENTS / n / 8 * 8, 8);

  key->n = n;
  key->step = 1;
  key->many = block;
  key->many_step = n;
  if ((gsize) (block * n) * size % ACC_FFTW_ALIGNMENT != 0)
    key->flags |= ACC_FFTW_UNALIGNED;

  return block;
}
