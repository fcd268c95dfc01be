/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* External algorithms: what does not fit in memory leaves the bytes that it leaves in memory, within a part of its data, and within the
 * least that it asks for. */
#include "stream-external.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/data/acc-budget-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* --- programs */

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *low_bits (AccExpr *x, gpointer data) { return acc_expr_band (x, acc_expr_new_int (1023)); }
static AccExpr *first_item (AccExpr *x, gpointer data) { return acc_expr_item (x, 0); }

static AccArray *ascending (AccArray *a) { return acc_array_sort (a, FALSE); }
static AccArray *descending (AccArray *a) { return acc_array_sort (a, TRUE); }
static AccArray *argsort (AccArray *a) { return acc_array_argsort (a, FALSE); }
static AccArray *argsort_descending (AccArray *a) { return acc_array_argsort (a, TRUE); }
static AccArray *by_key (AccArray *a) { return acc_array_sort_by_key (a, FALSE, first_item, NULL); }
static AccArray *by_low_bits (AccArray *a) { return acc_array_sort_by_key (a, TRUE, low_bits, NULL); }

static AccArray *
pairs (AccArray *a)
{
  g_autoptr(AccArray) keys = acc_array_unzip (a, 1), values = acc_array_unzip (a, 0);

  return acc_array_sort_pairs (values, keys, FALSE, NULL);
}

static AccArray *
scanned (AccArray *a)
{
  g_autoptr(AccArray) sorted = acc_array_sort (a, FALSE);

  return acc_array_scanl1 (sorted, plus, NULL);
}

static AccArray *
twice (AccArray *a)
{
  g_autoptr(AccArray) order = acc_array_argsort (a, FALSE), low = acc_array_map (order, low_bits, NULL);

  return acc_array_argsort (low, TRUE);
}

static AccExpr *is_odd (AccExpr *x, gpointer data) { return acc_expr_eq (acc_expr_band (x, acc_expr_new_int (1)), acc_expr_new_int (1)); }
static AccExpr *is_not (AccExpr *x, gpointer data) { return acc_expr_ne (x, x); }
static AccExpr *is_first_odd (AccExpr *x, gpointer data) { return is_odd (acc_expr_item (x, 0), NULL); }
static AccExpr *half (AccExpr *x, gpointer data) { return acc_expr_shr (x, acc_expr_new_int (1)); }

static AccArray *filter (AccArray *a) { return acc_array_filter (a, is_odd, NULL, NULL); }
static AccArray *filter_pairs (AccArray *a) { return acc_array_filter (a, is_first_odd, NULL, NULL); }
static AccArray *nothing (AccArray *a) { return acc_array_filter (a, is_not, NULL, NULL); }
static AccArray *unique (AccArray *a) { return acc_array_unique (a, NULL); }
static AccArray *from_right (AccArray *a) { return acc_array_scanr1 (a, plus, NULL); }
static AccArray *before_right (AccArray *a) { return acc_array_prescanr (a, acc_expr_new_int (3), plus, NULL); }
static AccArray *to_right_end (AccArray *a) { return acc_array_scanr (a, acc_expr_new_int (3), plus, NULL); }
static AccArray *to_left_end (AccArray *a) { return acc_array_scanl (a, acc_expr_new_int (3), plus, NULL); }

/* Each step reads what the one before leaves. */
static AccArray *
filter_twice (AccArray *a)
{
  g_autoptr(AccArray) odd = filter (a), halves = acc_array_map (odd, half, NULL);

  return filter (halves);
}

static AccArray *
filter_sort (AccArray *a)
{
  g_autoptr(AccArray) odd = filter (a);

  return acc_array_sort (odd, TRUE);
}

static AccArray *
filter_sum (AccArray *a)
{
  g_autoptr(AccArray) odd = filter (a);

  return acc_array_sum_all (odd);
}

static AccArray *
lengths (AccArray *a)
{
  g_autoptr(AccArray) few = acc_array_map (a, half, NULL), found = NULL, values = acc_array_run_length_encode (few, &found);

  return g_steal_pointer (&found);
}

static AccArray *
counts (AccArray *a)
{
  g_autoptr(AccArray) found = NULL, values = acc_array_unique (a, &found);

  return acc_array_zip (values, found);
}

/* Down and up the columns of a matrix. */
static AccArray *
along_columns (AccArray *a, gboolean from_below)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a)), width = n > 1000 ? 100 : MAX (n, 1);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n / width, width);
  g_autoptr(AccArray) matrix = acc_array_reshape (a, shape), turned = acc_array_transpose (matrix),
    scanned = from_below ? acc_array_scanr1 (turned, plus, NULL) : acc_array_scanl1 (turned, plus, NULL);

  return acc_array_transpose (scanned);
}

static AccArray *down (AccArray *a) { return along_columns (a, FALSE); }
static AccArray *up (AccArray *a) { return along_columns (a, TRUE); }

/* Everywhere in a result that is as large, some places several times and some never. */
static AccExpr *
spread (AccExpr *index, gpointer data)
{
  gint64 n = *(gint64 *) data;
  AccExpr *place = acc_expr_item (index, 0);

  return acc_expr_rem (acc_expr_mul (place, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 7919 * 2)),
                       acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), n));
}

/* Not commutative. */
static AccExpr *mix (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_sub (acc_expr_mul (y, acc_expr_new_int (3)), x); }
static AccExpr *first (AccExpr *x, AccExpr *y, gpointer data) { return x; }
static AccExpr *place_of (AccExpr *index, gpointer data) { return acc_expr_item (index, 0); }

static AccArray *
scatter_with (AccArray *a, AccArray *defaults, AccExprFunc2 combine)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a));
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) targets = acc_array_generate (shape, spread, &n);

  return acc_array_permute (a, defaults, targets, combine, NULL);
}

static AccArray *
scatter (AccArray *a)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a));
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) places = acc_array_generate (shape, place_of, NULL),
    defaults = acc_array_cast (places, acc_array_get_element_type (a));

  return scatter_with (a, defaults, mix);
}

static AccArray *scatter_over (AccArray *a) { return scatter_with (a, a, first); }

static AccExpr *
cell (AccExpr *x, gpointer data)
{
  gint64 rows = *(gint64 *) data;
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  AccExpr *wide = acc_expr_band (acc_expr_cast (x, type), acc_expr_new_int (G_MAXINT32));
  AccExpr *index = acc_expr_tuple2 (acc_expr_rem (wide, acc_expr_new_typed_int (type, rows)),
                                    acc_expr_rem (acc_expr_shr (wide, acc_expr_new_int (8)), acc_expr_new_int (7)));

  return acc_expr_tuple2 (acc_expr_ne (acc_expr_band (wide, acc_expr_new_int (3)), acc_expr_new_int (0)), index);
}

/* How often, in a matrix; and what there is never. */
static AccArray *
count_cells (AccArray *a)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a)), rows = MAX (n / 4, 1);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, 7), all = acc_shape_new_vector (n);
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccArray) none = acc_array_fill (shape, acc_expr_new_typed_int (type, 5)), ones = acc_array_fill (all, acc_expr_new_typed_int (
    type, 1)), cells = acc_array_map (a, cell, &rows);

  return acc_array_permute (ones, none, cells, plus, NULL);
}

static AccArray *
count_many (AccArray *a)
{
  g_autoptr(AccArray) low = acc_array_map (a, half, NULL);

  return acc_array_bincount (low, 500000);
}

static const TestExternalProgram programs[] = {
  { "sort", ascending, "i4 f4 u1 f8 b1" },
  { "sort-descending", descending, "f4 i2 i8" },
  { "argsort", argsort, "f4 u2" },
  { "argsort-descending", argsort_descending, "i4" },
  { "sort-by-key", by_key, "(f4,i8,u1) (u1,u1)" },
  { "sort-by-low-bits", by_low_bits, "i4" },
  { "sort-pairs", pairs, "(i4,f4)" },
  { "sort-scan", scanned, "i4" },
  { "sort-twice", twice, "i4" },
  { "filter", filter, "i4 u1 i8" },
  { "filter-pairs", filter_pairs, "(i4,f8,b1)" },
  { "filter-nothing", nothing, "i4" },
  { "filter-twice", filter_twice, "i4", TRUE },
  { "filter-sort", filter_sort, "i4" },
  { "filter-sum", filter_sum, "i4" },
  { "scatter", scatter, "i4 f4" },
  { "scatter-over", scatter_over, "i4 (u1,f8)" },
  { "count-cells", count_cells, "i4" },
  { "count-many", count_many, "i4" },
  { "unique", unique, "f4 i2" },
  { "unique-counts", counts, "i4" },
  { "run-lengths", lengths, "i4" },
  { "scan-from-right", from_right, "i4" },
  { "scan-before-right", before_right, "i4" },
  { "scan-to-right-end", to_right_end, "i4" },
  { "scan-to-left-end", to_left_end, "i4" },
  { "scan-down", down, "i4" },
  { "scan-up", up, "i4" },
};

/* --- what goes wrong */

/* The file grows past the quota while it is written. */
static void
test_quota (TestExternal *f, gconstpointer data)
{
  acc_backend_set_temporary_quota (f->backend, 300000);
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "sort “all”", "of 300000 allowed");
  g_assert_cmpint (f->source->n_started, ==, 1);
}

static void
test_memory (TestExternal *f, gconstpointer data)
{
  acc_backend_set_memory_limit (f->backend, 20000);
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "sort “all”", "of the memory limit of 20000 bytes");
  g_assert_cmpint (f->source->n_started, ==, 0);
}

static void
test_broken (TestExternal *f, gconstpointer data)
{
  f->source->fail_row = 150000;
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_IO, "sort “all”", "bad row 150000");
}

static void
test_cancelled (TestExternal *f, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();

  f->source->cancels = g_object_ref (cancellable);
  f->source->cancel_row = 100000;
  test_external_expect_failure (f, cancellable, G_IO_ERROR, G_IO_ERROR_CANCELLED, "", "");
}

static AccExpr *
place_below (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (1));
}

static void
test_bounds (TestExternal *f, gconstpointer data)
{
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (f->source));
  g_autoptr(AccShape) shape = acc_shape_new_vector (200000);
  g_autoptr(AccArray) targets = acc_array_generate (shape, place_below, NULL);

  g_clear_object (&f->sorted);
  f->sorted = acc_array_permute (array, array, targets, first, NULL);
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_BOUNDS, "permute", "index [200000] is outside the extents [200000]");
}

static void
test_plan (TestExternal *f, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = acc_backend_plan (f->backend, f->sorted, NULL, 0, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text,
                            "stage 1  sort “all” does not fit in memory: sorted runs that are merged: written 1 times and read 1 times"));
  g_assert_cmpuint (acc_plan_get_bytes (plan), <=, 200000);
  g_assert_cmpint (f->source->n_started, ==, 0);

  /* The source and the runs; the runs and the result. */
  g_assert_cmpuint (acc_plan_get_read_bytes (plan), ==, 2 * 200000 * 4);
  g_assert_cmpuint (acc_plan_get_written_bytes (plan), ==, 2 * 200000 * 4);
  g_assert_nonnull (strstr (text, "s for the disk, which reads 1.5"));
  g_setenv ("ACC_DISK_RATE", "1K", TRUE);
  g_assert_cmpfloat_with_epsilon (acc_plan_get_seconds (plan), 4 * 200000 * 4 / 1024. + 200000 * 22e-9, 1e-9);
  g_unsetenv ("ACC_DISK_RATE");
  g_assert_cmpfloat_with_epsilon (acc_plan_get_seconds (plan), 4 * 200000 * 4 / (1024. * 1024 * 1024) + 200000 * 22e-9, 1e-9);
}

/* What is kept is at most all of it: the source and the store are read, the store and the result written. */
static void
test_plan_of_filter (TestExternal *f, gconstpointer data)
{
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (f->source)), kept = filter (array);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = acc_backend_plan (f->backend, kept, NULL, 0, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  g_test_message ("%s", text);
  g_assert_cmpuint (acc_plan_get_read_bytes (plan), ==, 2 * 200000 * 4);
  g_assert_cmpuint (acc_plan_get_written_bytes (plan), ==, 2 * 200000 * 4);
  g_assert_nonnull (strstr (text, "time     at most 0.00 s for the disk"));
}

static void
add_backend (const char *name, AccBackend *backend)
{
  test_external_add (name, backend, programs, G_N_ELEMENTS (programs));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_add_backends ("native,interpreter", add_backend);
#define ADD(name, func) g_test_add ("/stream/external/" name, TestExternal, NULL, test_external_set_up, func, test_external_tear_down)
  ADD ("quota", test_quota);
  ADD ("memory", test_memory);
  ADD ("broken", test_broken);
  ADD ("cancelled", test_cancelled);
  ADD ("refused", test_external_check_refused);
  ADD ("bounds", test_bounds);
  ADD ("plan", test_plan);
  ADD ("plan/filter", test_plan_of_filter);
#undef ADD

  return g_test_run ();
}
