/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-libraries.h"

#include <string.h>

/* The parts of cuFFT that are used, declared here so that its headers are not needed to build. A result of 0 is success. */

enum {
  COMPLEX_NARROW = 0x29,
  COMPLEX_WIDE = 0x69,
  FORWARD = -1,
  INVERSE = 1,
};

typedef int CufftPlan;

typedef struct {
  int (*plan)       (CufftPlan *plan, int rank, int *n, int *input_extents, int input_step, int input_distance, int *output_extents,
                     int output_step, int output_distance, int type, int many);
  int (*set_stream) (CufftPlan plan, CuStream stream);
  int (*execute[2]) (CufftPlan plan, gpointer input, gpointer output, int direction);   /* by is_wide */
  int (*destroy)    (CufftPlan plan);
} Functions;

static Functions functions;

static const AccLibrarySymbol symbols[] = {
  { "cufftPlanMany", (gpointer *) &functions.plan }, { "cufftSetStream", (gpointer *) &functions.set_stream },
  { "cufftExecC2C", (gpointer *) &functions.execute[FALSE] }, { "cufftExecZ2Z", (gpointer *) &functions.execute[TRUE] },
  { "cufftDestroy", (gpointer *) &functions.destroy },
  { NULL, NULL },
};

static const char *const names[] = { "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "/usr/local/cuda/lib64/libcufft.so", NULL };

static AccLibrary library = { names, symbols, 0 };

/* One plan goes over one array of those that it is along the dimension in the middle of; more are better done by one kernel. */
#define MAX_TIMES 64
/* Each has memory on the device. */
#define MAX_PLANS 16

/* What a plan is for; all of it is compared. */
typedef struct {
  int rank, n[3], step, distance, many, is_wide;
} Key;

typedef struct {
  Key       key;
  CufftPlan plan;
} Plan;

/* One of a device. */
typedef struct {
  GMutex      lock;
  GHashTable *plans;   /* Key → Plan, which contains it, owned */
} Fft;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return ((((guint) key->n[0] * 31 + (guint) key->n[1]) * 31 + (guint) key->n[2]) * 31 + (guint) key->many) * 31 + (guint) key->step;
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  return memcmp (a, b, sizeof (Key)) == 0;
}

/* With the device's context. Waits for what the plan does yet. */
static void
plan_free (gpointer data)
{
  Plan *self = data;

  functions.destroy (self->plan);
  g_free (self);
}

static gboolean
check (int          result,
       const char  *doing,
       GError     **error)
{
  if (result == 0)
    return TRUE;

  /* 2 is that of an allocation. */
  g_set_error (error, ACC_ERROR, result == 2 ? ACC_ERROR_OUT_OF_MEMORY : ACC_ERROR_UNSUPPORTED, "%s: cuFFT result %d", doing, result);
  return FALSE;
}

/* With the lock, and the device's context. */
static Plan *
get_plan (Fft        *self,
          const Key  *key,
          GError    **error)
{
  Plan *plan = g_hash_table_lookup (self->plans, key);
  int n[3] = { key->n[0], key->n[1], key->n[2] };

  if (plan != NULL)
    return plan;

  if (g_hash_table_size (self->plans) >= MAX_PLANS)
    g_hash_table_remove_all (self->plans);
  plan = g_new0 (Plan, 1);
  plan->key = *key;
  if (!check (functions.plan (&plan->plan, key->rank, n, n, key->step, key->distance, n, key->step, key->distance,
                              key->is_wide ? COMPLEX_WIDE : COMPLEX_NARROW, key->many),
              "planning", error))
    {
      g_free (plan);
      return NULL;
    }
  g_hash_table_insert (self->plans, &plan->key, plan);

  return plan;
}

typedef struct {
  Fft                       *fft;      /* the device's */
  const AccForeignTransform *form;
} Routine;

/* How many transforms go by one plan, and how many times. FALSE: too many for the library. */
static gboolean
measure (const AccForeignTransform *form,
         const gint64              *extents,
         guint                      rank,
         gboolean                   is_wide,
         Key                       *key,
         gint64                    *n_times)
{
  guint first = rank - form->n_after - form->n_dimensions;
  gint64 outer = 1, size = 1, inner = form->n_after > 0 ? extents[rank - 1] : 1;

  memset (key, 0, sizeof *key);
  for (guint i = 0; i < first; i++)
    outer *= extents[i];
  for (guint i = 0; i < form->n_dimensions; i++)
    {
      if (extents[first + i] > G_MAXINT32 / size)
        return FALSE;
      size *= extents[first + i];
      key->n[i] = (int) extents[first + i];
    }
  if (outer > G_MAXINT32 || inner > G_MAXINT32)
    return FALSE;

  key->rank = (int) form->n_dimensions;
  key->is_wide = is_wide;
  key->step = (int) inner;
  key->distance = form->n_after > 0 ? 1 : (int) size;
  key->many = (int) (form->n_after > 0 ? inner : outer);
  *n_times = form->n_after > 0 ? outer : 1;

  return TRUE;
}

/* Whether a length has prime factors above 127, for which cuFFT convolves, as acc does; but its chirp is further off in f4. */
static gboolean
has_large_factor (const Key *key)
{
  gboolean is_large = FALSE;

  for (int i = 0; i < key->rank; i++)
    {
      int rest = key->n[i];

      for (int factor = 2; factor <= 127; factor++)
        while (rest > 1 && rest % factor == 0)
          rest /= factor;
      is_large |= rest > 1;
    }

  return is_large;
}

static gboolean
fits (AccArray           **inputs,
      const gint64 *const *extents,
      guint                n_inputs,
      gpointer             user_data)
{
  const Routine *self = user_data;
  gboolean is_wide;
  gint64 n_times;
  Key key;

  return acc_library_measure_transform (self->form, inputs, extents, n_inputs, ACC_FOREIGN_WORTH, &is_wide)
         && measure (self->form, extents[0], inputs[0]->rank, is_wide, &key, &n_times) && n_times <= MAX_TIMES
         && (is_wide || !has_large_factor (&key)) && acc_library_find (&library);
}

/* With the lock, and the device's context. */
static gboolean
execute (Fft               *self,
         const Key         *key,
         gint64             n_times,
         int                direction,
         AccForeignLaunch  *launch,
         GError           **error)
{
  Plan *plan = get_plan (self, key, error);
  guint64 from = acc_foreign_launch_get_input_address (launch, 0, 0), to = acc_foreign_launch_get_result_address (launch, 0);
  guint64 bytes = (guint64) key->n[0] * (guint64) key->step * (key->is_wide ? 16 : 8);
  gboolean ok = plan != NULL
                && check (functions.set_stream (plan->plan, (CuStream) GSIZE_TO_POINTER (acc_foreign_launch_get_queue (launch))),
                          "choosing a stream", error);

  for (gint64 i = 0; i < n_times && ok; i++)
    ok = check (functions.execute[key->is_wide] (plan->plan, GSIZE_TO_POINTER (from + (guint64) i * bytes),
                                                 GSIZE_TO_POINTER (to + (guint64) i * bytes), direction),
                "transforming", error);

  return ok;
}

static gboolean
transform (AccForeignLaunch  *launch,
           gpointer           user_data,
           GError           **error)
{
  const Routine *self = user_data;
  const gint64 *extents;
  gboolean is_wide, ok;
  gint64 n_times;
  guint rank;
  Key key;

  if (!acc_library_begin_transform (launch, self->form, &is_wide, error))
    return FALSE;
  extents = acc_shape_get_extents (acc_foreign_launch_get_input (launch, 0)->shape, &rank);
  if (!measure (self->form, extents, rank, is_wide, &key, &n_times))
    return FALSE;

  g_mutex_lock (&self->fft->lock);
  ok = execute (self->fft, &key, n_times, self->form->forward ? FORWARD : INVERSE, launch, error);
  g_mutex_unlock (&self->fft->lock);

  return ok;
}

static void
fft_free (gpointer data)
{
  Fft *self = data;

  g_hash_table_unref (self->plans);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
acc_cuda_fft_add (AccCudaDevice *device,
                  AccBackend    *backend)
{
  Fft *fft = g_new0 (Fft, 1);
  const AccForeignTransform *form;

  g_mutex_init (&fft->lock);
  fft->plans = g_hash_table_new_full (key_hash, key_equal, NULL, plan_free);
  acc_cuda_keep (device, fft, fft_free);
  for (guint i = 0; (form = acc_foreign_nth_transform (i)) != NULL; i++)
    {
      Routine *routine = g_new (Routine, 1);

      *routine = (Routine) { fft, form };
      acc_backend_set_launch_routine (backend, routine->form->name, fits, transform, routine, g_free);
    }
}
