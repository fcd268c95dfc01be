/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-native-blas.h"

#include "acc-backends/runtime/acc-library.h"

/* What is used of the library, declared here so that nothing of it is needed to build. */

enum {
  ROW_MAJOR = 101,
  NO_TRANSPOSITION = 111,
};

typedef struct {
  void (*cblas_sgemm) (int order, int left, int right, int m, int n, int k, float alpha, const void *a, int lda, const void *b, int ldb,
                       float beta, void *c, int ldc);
  void (*cblas_dgemm) (int order, int left, int right, int m, int n, int k, double alpha, const void *a, int lda, const void *b, int ldb,
                       double beta, void *c, int ldc);
  void (*cblas_cgemm) (int order, int left, int right, int m, int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb,
                       const void *beta, void *c, int ldc);
  void (*cblas_zgemm) (int order, int left, int right, int m, int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb,
                       const void *beta, void *c, int ldc);
  int  (*openblas_get_num_threads) (void);
  void (*openblas_set_num_threads) (int n);
} Functions;

static Functions functions;

static const AccLibrarySymbol symbols[] = {
  { "cblas_sgemm", (gpointer *) &functions.cblas_sgemm }, { "cblas_dgemm", (gpointer *) &functions.cblas_dgemm },
  { "cblas_cgemm", (gpointer *) &functions.cblas_cgemm }, { "cblas_zgemm", (gpointer *) &functions.cblas_zgemm },
  { "openblas_get_num_threads", (gpointer *) &functions.openblas_get_num_threads },
  { "openblas_set_num_threads", (gpointer *) &functions.openblas_set_num_threads },
  { NULL, NULL },
};

/* Other libraries with the same interface may be slower than what they would replace. */
static const char *const names[] = { "libopenblas.so.0", "libopenblasp.so.0", "libopenblaso.so.0", NULL };

static AccLibrary library = { names, symbols, 0 };

static gboolean
fits (AccArray           **inputs,
      const gint64 *const *extents,
      guint                n_inputs,
      gpointer             user_data)
{
  AccLibraryProduct p;

  return acc_library_measure_product (inputs, extents, n_inputs, &p) && acc_library_find (&library);
}

static void
multiply (const AccLibraryProduct *p,
          gconstpointer            left,
          gconstpointer            right,
          gpointer                 result)
{
  static const float one[] = { 1, 0 }, zero[] = { 0, 0 };
  static const double one_wide[] = { 1, 0 }, zero_wide[] = { 0, 0 };
  int m = (int) p->m, n = (int) p->n, k = (int) p->k;

  if (p->is_complex && p->is_wide)
    functions.cblas_zgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, one_wide, left, k, right, n, zero_wide, result, n);
  else if (p->is_complex)
    functions.cblas_cgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, one, left, k, right, n, zero, result, n);
  else if (p->is_wide)
    functions.cblas_dgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, 1, left, k, right, n, 0, result, n);
  else
    functions.cblas_sgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, 1, left, k, right, n, 0, result, n);
}

static gboolean
matmul (AccForeignLaunch  *launch,
        gpointer           user_data,
        GError           **error)
{
  /* How many threads there are is one number for the whole process. */
  static GMutex lock;
  AccHost *host = user_data;
  gsize size = acc_element_type_get_size (acc_foreign_launch_get_input (launch, 0)->type);
  int n_threads = (int) acc_workers_get_n_threads (host->workers), before;
  const guint8 *left, *right;
  guint8 *result;
  AccLibraryProduct p;

  if (!acc_library_begin_product (launch, &p, error))
    return FALSE;
  left = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 0));
  right = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 1, 0));
  result = GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 0));

  g_mutex_lock (&lock);
  before = functions.openblas_get_num_threads ();
  if (before != n_threads)
    functions.openblas_set_num_threads (n_threads);
  for (gint64 i = 0; i < p.outer; i++)
    multiply (&p, left + (gsize) (i * p.left_step) * size, right + (gsize) (i * p.right_step) * size, result + (gsize) (i * p.m * p.n) * size);
  if (before != n_threads)
    functions.openblas_set_num_threads (before);
  g_mutex_unlock (&lock);

  return TRUE;
}

void
acc_native_blas_add (AccHost *host)
{
  acc_backend_set_launch_routine (host->backend, "acc-matmul", fits, matmul, host, NULL);
}
