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

/* Found once in the process; other libraries with the same interface may be slower than what they would replace. */
static const Functions *
get_functions (void)
{
  static Functions functions;
  static gsize state;

  if (g_once_init_enter (&state))
    {
      static const char *const names[] = { "libopenblas.so.0", "libopenblasp.so.0", "libopenblaso.so.0", NULL };
      const AccLibrarySymbol symbols[] = {
        { "cblas_sgemm", (gpointer *) &functions.cblas_sgemm }, { "cblas_dgemm", (gpointer *) &functions.cblas_dgemm },
        { "cblas_cgemm", (gpointer *) &functions.cblas_cgemm }, { "cblas_zgemm", (gpointer *) &functions.cblas_zgemm },
        { "openblas_get_num_threads", (gpointer *) &functions.openblas_get_num_threads },
        { "openblas_set_num_threads", (gpointer *) &functions.openblas_set_num_threads },
        { NULL, NULL },
      };

      g_once_init_leave (&state, acc_library_open (names, symbols) ? 1 : 2);
    }

  return state == 1 ? &functions : NULL;
}

static gboolean
fits (AccArray           **inputs,
      const gint64 *const *extents,
      guint                n_inputs,
      gpointer             user_data)
{
  AccLibraryProduct p;

  return acc_library_measure_product (inputs, extents, n_inputs, &p) && get_functions () != NULL;
}

static void
multiply (const Functions         *blas,
          const AccLibraryProduct *p,
          const guint8            *left,
          const guint8            *right,
          guint8                  *result)
{
  static const float one[] = { 1, 0 }, zero[] = { 0, 0 };
  static const double one_wide[] = { 1, 0 }, zero_wide[] = { 0, 0 };
  int m = (int) p->m, n = (int) p->n, k = (int) p->k;

  if (p->is_complex && p->is_wide)
    blas->cblas_zgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, one_wide, left, k, right, n, zero_wide, result, n);
  else if (p->is_complex)
    blas->cblas_cgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, one, left, k, right, n, zero, result, n);
  else if (p->is_wide)
    blas->cblas_dgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, 1, left, k, right, n, 0, result, n);
  else
    blas->cblas_sgemm (ROW_MAJOR, NO_TRANSPOSITION, NO_TRANSPOSITION, m, n, k, 1, left, k, right, n, 0, result, n);
}

static AccArray *
matmul (AccArray **inputs,
        guint      n_inputs,
        gpointer   user_data,
        GError   **error)
{
  /* How many threads there are is one number for the whole process. */
  static GMutex lock;
  AccHost *host = user_data;
  const Functions *blas = get_functions ();
  const gint64 *extents[] = { acc_shape_get_extents (inputs[0]->shape, NULL), acc_shape_get_extents (inputs[1]->shape, NULL) };
  g_autoptr (AccShape) shape = acc_library_dup_product_shape (inputs, extents);
  gsize size = acc_element_type_get_size (inputs[0]->type);
  int n_threads = (int) acc_workers_get_n_threads (host->workers), before;
  const guint8 *left, *right;
  gpointer data;
  AccArray *result;
  AccLibraryProduct p;

  acc_library_measure_product (inputs, extents, n_inputs, &p);
  if ((left = acc_buffer_map (inputs[0]->buffers[0], error)) == NULL || (right = acc_buffer_map (inputs[1]->buffers[0], error)) == NULL)
    return NULL;
  result = acc_library_new_array (host, inputs[0]->type, shape, "matmul", &data, error);
  if (result == NULL)
    return NULL;

  g_mutex_lock (&lock);
  before = blas->openblas_get_num_threads ();
  if (before != n_threads)
    blas->openblas_set_num_threads (n_threads);
  for (gint64 i = 0; i < p.outer; i++)
    multiply (blas, &p, left + (gsize) (i * p.left_step) * size, right + (gsize) (i * p.right_step) * size,
              (guint8 *) data + (gsize) (i * p.m * p.n) * size);
  if (before != n_threads)
    blas->openblas_set_num_threads (before);
  g_mutex_unlock (&lock);

  return result;
}

void
acc_native_blas_add (AccHost *host)
{
  acc_backend_set_routine (host->backend, "acc-matmul", fits, matmul, host, NULL);
}
