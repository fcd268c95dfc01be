/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-works.h"

/* --- programs */

static AccArray *
build_histogram (AccArray **a, guint n, gpointer n_bins)
{
  return acc_array_bincount (a[0], GPOINTER_TO_INT (n_bins));
}

static AccArray *
build_gather (AccArray **a, guint n, gpointer data)
{
  return acc_array_gather (a[0], a[1]);
}

static AccExpr *
nothing (AccExpr *x, gpointer data)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 0);
}

static AccArray *
build_sum_by_keys (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) zeros = acc_array_map (a[0], nothing, NULL);

  return acc_array_permute (a[0], zeros, a[1], acc_work_plus, NULL);
}

/* The elements of a sparse matrix, their columns, where rows begin; a vector. */
static AccArray *
build_sparse_product (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) factors = acc_array_gather (a[3], a[1]);
  g_autoptr(AccArray) products = acc_array_zip_with (a[0], factors, acc_work_times, NULL);

  return acc_array_fold_seg_offsets (products, acc_expr_new_float (0), a[2], acc_work_plus, NULL);
}

static AccArray *
build_sort (AccArray **a, guint n, gpointer data)
{
  return acc_array_sort (a[0], FALSE);
}

static GPtrArray *
build_sort_pairs (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  AccArray *keys = NULL;

  g_ptr_array_add (results, acc_array_sort_pairs (a[1], a[0], FALSE, &keys));
  g_ptr_array_add (results, keys);
  return results;
}

/* --- works */

static gpointer
prepare_histogram_u1 (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u1", contender_bytes (n, 1), n);
  return acc_work_compile (self, build_histogram, GINT_TO_POINTER (1 << 8));
}

static gpointer
prepare_histogram_u4 (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u4", contender_words (n, 1, 1 << 16), n);
  return acc_work_compile (self, build_histogram, GINT_TO_POINTER (1 << 16));
}

/* Floats, and places of so many. */
static gpointer
prepare_places (gsize n, AccArray *(*build) (AccArray **, guint, gpointer))
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 0, 1), n);
  acc_work_add_vector (self, "u4", contender_words (n, 2, n), n);
  return acc_work_compile (self, build, NULL);
}

static gpointer
prepare_gather (gsize n)
{
  return prepare_places (n, build_gather);
}

static gpointer
prepare_sum_by_keys (gsize n)
{
  return prepare_places (n, build_sum_by_keys);
}

static gpointer
prepare_sparse_product (gsize n_rows)
{
  AccWork *self = acc_work_new ();
  gint64 *rows = contender_rows (n_rows);
  gint64 n = rows[n_rows];

  acc_work_add_vector (self, "f4", contender_floats (n, 1, 0, 1), n);
  acc_work_add_vector (self, "u4", contender_words (n, 2, n_rows), n);
  acc_work_add_vector (self, "i8", rows, n_rows + 1);
  acc_work_add_vector (self, "f4", contender_floats (n_rows, 3, 0, 1), n_rows);
  return acc_work_compile (self, build_sparse_product, NULL);
}

static gpointer
prepare_sort (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u4", contender_words (n, 1, 0), n);
  return acc_work_compile (self, build_sort, NULL);
}

static gpointer
prepare_sort_pairs (gsize n)
{
  AccWork *self = acc_work_new ();

  acc_work_add_vector (self, "u4", contender_words (n, 1, 0), n);
  acc_work_add_vector (self, "u4", contender_words (n, 2, 0), n);
  return acc_work_compile_many (self, build_sort_pairs, NULL);
}

static double
check_pairs (gpointer self)
{
  return acc_work_digest (self, 0, 0) + acc_work_digest (self, 1, 0);
}

const Work acc_indices[] = {
  { "histogram-u1", prepare_histogram_u1, acc_work_run, acc_work_check, acc_work_free },
  { "histogram-u4", prepare_histogram_u4, acc_work_run, acc_work_check, acc_work_free },
  { "gather", prepare_gather, acc_work_run, acc_work_check, acc_work_free },
  { "sum-by-keys", prepare_sum_by_keys, acc_work_run, acc_work_check, acc_work_free },
  { "sparse-product", prepare_sparse_product, acc_work_run, acc_work_check, acc_work_free },
  { "sort", prepare_sort, acc_work_run, acc_work_check, acc_work_free },
  { "sort-pairs", prepare_sort_pairs, acc_work_run, check_pairs, acc_work_free },
  { NULL }
};
