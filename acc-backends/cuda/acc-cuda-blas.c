/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-cuda-libraries.h"

/* The parts of cuBLAS that are used, declared here so that its headers are not needed to build. A status of 0 is success. Matrices are in
 * column-major order there: a product of rows is that of the factors in the other order. */

typedef struct CublasContext *CublasHandle;

typedef int (*Multiply) (CublasHandle handle, int left, int right, int m, int n, int k, const void *alpha, const void *a, int lda,
                         long long a_step, const void *b, int ldb, long long b_step, const void *beta, void *c, int ldc, long long c_step,
                         int n_products);

typedef struct {
  int      (*create)     (CublasHandle *handle);
  int      (*destroy)    (CublasHandle handle);
  int      (*set_stream) (CublasHandle handle, CuStream stream);
  Multiply   multiply[2][2];   /* by is_complex, is_wide */
} Functions;

static Functions functions;

static const AccLibrarySymbol symbols[] = {
  { "cublasCreate_v2", (gpointer *) &functions.create }, { "cublasDestroy_v2", (gpointer *) &functions.destroy },
  { "cublasSetStream_v2", (gpointer *) &functions.set_stream },
  { "cublasSgemmStridedBatched", (gpointer *) &functions.multiply[FALSE][FALSE] },
  { "cublasDgemmStridedBatched", (gpointer *) &functions.multiply[FALSE][TRUE] },
  { "cublasCgemmStridedBatched", (gpointer *) &functions.multiply[TRUE][FALSE] },
  { "cublasZgemmStridedBatched", (gpointer *) &functions.multiply[TRUE][TRUE] },
  { NULL, NULL },
};

static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "/usr/local/cuda/lib64/libcublas.so", NULL };

static AccLibrary library = { names, symbols, 0 };

/* One of a device. The handle is made with the first product: that takes a while, and memory. */
typedef struct {
  GMutex        lock;
  CublasHandle  handle;
} Blas;

static gboolean
fits (AccArray           **inputs,
      const gint64 *const *extents,
      guint                n_inputs,
      gpointer             user_data)
{
  AccLibraryProduct p;

  return acc_library_measure_product (inputs, extents, n_inputs, &p) && p.outer <= G_MAXINT32 && acc_library_find (&library);
}

static gboolean
check (int          status,
       const char  *doing,
       GError     **error)
{
  if (status == 0)
    return TRUE;

  /* 3 is that of an allocation. */
  g_set_error (error, ACC_ERROR, status == 3 ? ACC_ERROR_OUT_OF_MEMORY : ACC_ERROR_UNSUPPORTED, "%s: cuBLAS status %d", doing, status);
  return FALSE;
}

/* With the lock, and the device's context. */
static gboolean
multiply (Blas                     *self,
          AccForeignLaunch         *launch,
          const AccLibraryProduct  *p,
          GError                  **error)
{
  static const float one[] = { 1, 0 }, zero[] = { 0, 0 };
  static const double one_wide[] = { 1, 0 }, zero_wide[] = { 0, 0 };
  gconstpointer left = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 0, 0));
  gconstpointer right = GSIZE_TO_POINTER (acc_foreign_launch_get_input_address (launch, 1, 0));
  gpointer result = GSIZE_TO_POINTER (acc_foreign_launch_get_result_address (launch, 0));
  gconstpointer alpha = p->is_wide ? (gconstpointer) one_wide : one, beta = p->is_wide ? (gconstpointer) zero_wide : zero;
  int m = (int) p->m, n = (int) p->n, k = (int) p->k;

  if (self->handle == NULL && !check (functions.create (&self->handle), "starting", error))
    return FALSE;

  return check (functions.set_stream (self->handle, (CuStream) GSIZE_TO_POINTER (acc_foreign_launch_get_queue (launch))),
                "choosing a stream", error)
         && check (functions.multiply[p->is_complex][p->is_wide] (self->handle, 0, 0, n, m, k, alpha, right, n, p->right_step, left, k,
                                                                  p->left_step, beta, result, n, p->m * p->n, (int) p->outer),
                   "multiplying", error);
}

static gboolean
matmul (AccForeignLaunch  *launch,
        gpointer           user_data,
        GError           **error)
{
  Blas *self = user_data;
  AccLibraryProduct p;
  gboolean ok;

  if (!acc_library_begin_product (launch, &p, error))
    return FALSE;

  g_mutex_lock (&self->lock);
  ok = multiply (self, launch, &p, error);
  g_mutex_unlock (&self->lock);

  return ok;
}

static void
blas_free (gpointer data)
{
  Blas *self = data;

  if (self->handle != NULL)
    functions.destroy (self->handle);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
acc_cuda_blas_add (AccCudaDevice *device,
                   AccBackend    *backend)
{
  Blas *self = g_new0 (Blas, 1);

  g_mutex_init (&self->lock);
  acc_cuda_keep (device, self, blas_free);
  acc_backend_set_launch_routine (backend, ACC_FOREIGN_PRODUCT, fits, matmul, self, NULL);
}
