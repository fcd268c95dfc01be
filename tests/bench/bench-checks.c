/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What checking indices costs: gather, the product of a sparse matrix (CSR) and a vector, and histograms, with checks and without,
 * and against C with OpenMP, which checks nothing. An argument gives another power of two than 24 for the number of indices.
 *
 * A process has checks or it has not: a second one, forked before anything else, runs without, whenever it is asked to. */

#include "bench.h"

#include <acc/acc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_ROW 32     /* elements of the sparse matrix, on average */

typedef enum {
  GATHER_NEAR,
  GATHER_FAR,
  SPARSE,
  HISTOGRAM_SMALL,
  HISTOGRAM_LARGE,
  N_WORKS,
} Work;

static const char * const names[] = {
  "gather within 256 KiB", "gather from everywhere", "sparse matrix by vector", "histogram of 2^8 bins", "histogram of 2^16 bins",
};

typedef struct {
  gsize   n, n_rows;
  float  *values, *elements;
  gint32 *near, *far;          /* indices into @values: in its first 2^16, anywhere */
  gint32 *small, *large;       /* keys below 2^8 and 2^16 */
  gint64 *offsets;             /* of rows of @elements, whose columns are @far */
} Data;

typedef struct {
  AccBackend    *backend;
  AccExecutable *executables[N_WORKS];
  AccArray      *arguments[N_WORKS][4];
  guint          n_arguments[N_WORKS];
} Runner;

typedef struct {
  Work          work;
  const Data   *data;
  Runner       *checked;
  int           to, from;      /* the process without checks */
  float        *out;
  gint64       *counts;
} Contest;

static AccExpr *times (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_mul (x, y); }
static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }

static AccArray *
build_gather (AccArray **a, guint n, gpointer data)
{
  return acc_array_gather (a[0], a[1]);
}

static AccArray *
build_sparse (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) factors = acc_array_gather (a[3], a[1]);
  g_autoptr(AccArray) products = acc_array_zip_with (a[0], factors, times, NULL);

  return acc_array_fold_seg_offsets (products, acc_expr_new_float (0), a[2], plus, NULL);
}

static AccArray *
build_histogram (AccArray **a, guint n, gpointer n_bins)
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccShape) shape = acc_shape_new_vector (GPOINTER_TO_INT (n_bins));
  g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_int (i8, 0));
  g_autoptr(AccArray) ones = acc_array_fill_expr (acc_expr_shape (a[0]), acc_expr_new_typed_int (i8, 1));

  return acc_array_permute (ones, zeros, a[0], plus, NULL);
}

static AccArray *
use (AccElementKind kind, gconstpointer address, gsize n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);

  return acc_array_use_address (acc_element_type_new (kind), shape, (gsize) address, n * acc_element_kind_get_size (kind), NULL, NULL);
}

static void
add_work (Runner *self, Work work, const char * const *signatures, AccArrayFunc build, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_new (signatures, build, data);

  self->n_arguments[work] = g_strv_length ((char **) signatures);
  self->executables[work] = acc_backend_compile (self->backend, program, NULL, &error);
  if (self->executables[work] == NULL)
    g_error ("%s", error->message);
}

static Runner *
open_runner (const Data *d)
{
  const char *gather[] = { "f4[:]", "i4[:]", NULL };
  const char *sparse[] = { "f4[:]", "i4[:]", "i8[:]", "f4[:]", NULL };
  const char *keys[] = { "i4[:]", NULL };
  Runner *self = g_new0 (Runner, 1);
  g_autoptr(GError) error = NULL;

  self->backend = acc_backend_new_for_name ("native", &error);
  if (self->backend == NULL)
    g_error ("%s", error->message);
  acc_backend_set_memory_limit (self->backend, 0);

  add_work (self, GATHER_NEAR, gather, build_gather, NULL);
  self->arguments[GATHER_NEAR][0] = use (ACC_KIND_F32, d->values, d->n);
  self->arguments[GATHER_NEAR][1] = use (ACC_KIND_I32, d->near, d->n);
  add_work (self, GATHER_FAR, gather, build_gather, NULL);
  self->arguments[GATHER_FAR][0] = use (ACC_KIND_F32, d->values, d->n);
  self->arguments[GATHER_FAR][1] = use (ACC_KIND_I32, d->far, d->n);
  add_work (self, SPARSE, sparse, build_sparse, NULL);
  self->arguments[SPARSE][0] = use (ACC_KIND_F32, d->elements, d->n);
  self->arguments[SPARSE][1] = use (ACC_KIND_I32, d->near, d->n);
  self->arguments[SPARSE][2] = use (ACC_KIND_I64, d->offsets, d->n_rows + 1);
  self->arguments[SPARSE][3] = use (ACC_KIND_F32, d->values, d->n);
  add_work (self, HISTOGRAM_SMALL, keys, build_histogram, GINT_TO_POINTER (1 << 8));
  self->arguments[HISTOGRAM_SMALL][0] = use (ACC_KIND_I32, d->small, d->n);
  add_work (self, HISTOGRAM_LARGE, keys, build_histogram, GINT_TO_POINTER (1 << 16));
  self->arguments[HISTOGRAM_LARGE][0] = use (ACC_KIND_I32, d->large, d->n);
  return self;
}

static void
close_runner (Runner *self)
{
  for (guint w = 0; w < N_WORKS; w++)
    {
      g_clear_object (&self->executables[w]);
      for (guint i = 0; i < self->n_arguments[w]; i++)
        g_clear_object (&self->arguments[w][i]);
    }
  g_clear_object (&self->backend);
  g_free (self);
}

static AccArray *
run (Runner *self, Work work)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) results = acc_executable_run (self->executables[work], self->arguments[work], self->n_arguments[work], NULL, &error);

  if (results == NULL)
    g_error ("%s", error->message);
  return g_object_ref (g_ptr_array_index (results, 0));
}

static void
run_c (gpointer data)
{
  Contest *self = data;
  const Data *d = self->data;
  const gint32 *indices = self->work == GATHER_FAR ? d->far : d->near;
  gsize n_bins = self->work == HISTOGRAM_SMALL ? 1 << 8 : 1 << 16;
  const gint32 *keys = self->work == HISTOGRAM_SMALL ? d->small : d->large;

  switch (self->work)
    {
    case GATHER_NEAR:
    case GATHER_FAR:
#pragma omp parallel for simd schedule(static)
      for (gsize i = 0; i < d->n; i++)
        self->out[i] = d->values[indices[i]];
      break;
    case SPARSE:
#pragma omp parallel for schedule(static)
      for (gsize row = 0; row < d->n_rows; row++)
        {
          float sum = 0;

          for (gint64 i = d->offsets[row]; i < d->offsets[row + 1]; i++)
            sum += d->elements[i] * d->values[d->near[i]];
          self->out[row] = sum;
        }
      break;
    case HISTOGRAM_SMALL:
    case HISTOGRAM_LARGE:
    case N_WORKS:
      memset (self->counts, 0, n_bins * sizeof *self->counts);
#pragma omp parallel
      {
        gint64 *own = calloc (n_bins, sizeof *own);

#pragma omp for schedule(static)
        for (gsize i = 0; i < d->n; i++)
          own[keys[i]]++;
#pragma omp critical
        for (gsize i = 0; i < n_bins; i++)
          self->counts[i] += own[i];
        free (own);
      }
      break;
    }
}

/* All numbers are whole and small: sums are exact. */
static void
check_results (Runner *self, Contest *contest)
{
  for (Work work = 0; work < N_WORKS; work++)
    {
      g_autoptr(AccArray) result = run (self, work);
      gint64 n = acc_shape_get_size (acc_array_get_shape (result));

      contest->work = work;
      run_c (contest);
      for (gint64 i = 0; i < n; i++)
        {
          double wanted = work < HISTOGRAM_SMALL ? contest->out[i] : (double) contest->counts[i];

          if (acc_array_get_double (result, 0, i) != wanted)
            g_error ("%s: element %d is %g, not %g", names[work], (int) i, acc_array_get_double (result, 0, i), wanted);
        }
    }
}

/* --- the process without checks: gets the number of a work, gives it back when that is done */

static void
serve (Contest *contest, int from, int to)
{
  Runner *runner;
  guint8 work;

  g_setenv ("ACC_DISABLE", "checks", TRUE);
  runner = open_runner (contest->data);
  check_results (runner, contest);
  while (read (from, &work, 1) == 1)
    {
      g_object_unref (run (runner, work));
      if (write (to, &work, 1) != 1)
        break;
    }
  close_runner (runner);
}

static void
run_checked (gpointer data)
{
  Contest *self = data;

  g_object_unref (run (self->checked, self->work));
}

static void
run_unchecked (gpointer data)
{
  Contest *self = data;
  guint8 work = self->work;

  if (write (self->to, &work, 1) != 1 || read (self->from, &work, 1) != 1)
    g_error ("the process without checks is gone");
}

/* --- the data: rows of the sparse matrix have from none to twice PER_ROW elements */

static void
make_data (Data *d, guint log2)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);

  d->n = (gsize) 1 << log2;
  d->n_rows = d->n / PER_ROW;
  d->values = aligned_alloc (64, d->n * sizeof (float));
  d->elements = aligned_alloc (64, d->n * sizeof (float));
  d->near = aligned_alloc (64, d->n * sizeof (gint32));
  d->far = aligned_alloc (64, d->n * sizeof (gint32));
  d->small = aligned_alloc (64, d->n * sizeof (gint32));
  d->large = aligned_alloc (64, d->n * sizeof (gint32));
  d->offsets = g_new (gint64, d->n_rows + 1);
  for (gsize i = 0; i < d->n; i++)
    {
      guint32 bits = g_rand_int (rand);

      d->values[i] = i % 100;
      d->elements[i] = i % 7;
      d->near[i] = bits % MIN (d->n, 1 << 16);
      d->far[i] = bits % d->n;
      d->small[i] = bits >> 24;
      d->large[i] = bits >> 16;
    }
  d->offsets[0] = 0;
  for (gsize row = 0; row < d->n_rows; row++)
    {
      gint64 end = d->offsets[row] + g_rand_int_range (rand, 0, 2 * PER_ROW + 1);

      d->offsets[row + 1] = MIN (end, (gint64) d->n);
    }
}

int
main (int argc, char **argv)
{
  Data data = { 0, };
  Contest contest = { .data = &data };
  int questions[2], answers[2];
  pid_t child;

  make_data (&data, argc > 1 ? atoi (argv[1]) : 24);
  contest.out = g_new0 (float, data.n);
  contest.counts = g_new0 (gint64, 1 << 16);
  if (pipe (questions) != 0 || pipe (answers) != 0 || (child = fork ()) < 0)
    g_error ("no second process");
  if (child == 0)
    {
      close (questions[1]);
      close (answers[0]);
      serve (&contest, questions[0], answers[1]);
      return 0;
    }
  close (questions[0]);
  close (answers[1]);
  contest.to = questions[1];
  contest.from = answers[0];
  contest.checked = open_runner (&data);
  check_results (contest.checked, &contest);

  bench_begin ("the cost of checks");
  for (guint w = 0; w < N_WORKS; w++)
    {
      /* What must come from memory and go there: indices, elements and results; of a gather from everywhere a line for each. */
      static const double per_index[] = { 8, 72, 8 + 12. / PER_ROW, 4, 4 };

      contest.work = w;
      bench_compare (names[w],
                     (BenchContender[]) { { "acc", run_checked, &contest }, { "without checks", run_unchecked, &contest },
                                          { "C with OpenMP", run_c, &contest } }, 3, 21, per_index[w] * data.n);
    }
  bench_end ();

  close (questions[1]);
  waitpid (child, NULL, 0);
  close_runner (contest.checked);
  g_free (contest.out);
  g_free (contest.counts);
  free (data.values);
  free (data.elements);
  free (data.near);
  free (data.far);
  free (data.small);
  free (data.large);
  g_free (data.offsets);
  return 0;
}
