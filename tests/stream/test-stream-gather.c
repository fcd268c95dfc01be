/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers from what does not fit in memory: by parts of it, within a part of its data, and within the least that they ask for. */
#include "stream-external.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

/* --- programs */

/* Everywhere in what is as large, some places several times and some never. */
static AccExpr *
spread (AccExpr *index, gpointer data)
{
  gint64 n = *(gint64 *) data;
  AccExpr *place = acc_expr_item (index, 0);

  return acc_expr_rem (acc_expr_mul (place, acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), 7919 * 2)),
                       acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), n));
}

/* As far into @n elements as the element says. */
static AccExpr *
place_by (AccExpr *x, gpointer n)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  AccExpr *wide = acc_expr_band (acc_expr_cast (x, type), acc_expr_new_int (G_MAXINT32));

  return acc_expr_rem (wide, acc_expr_new_typed_int (type, *(gint64 *) n));
}

static AccArray *
gather (AccArray *a)
{
  gint64 n = MAX (acc_shape_get_size (acc_array_get_shape (a)), 1);
  g_autoptr(AccArray) places = acc_array_map (a, place_by, &n);

  return acc_array_gather (a, places);
}

/* Whose indices are not read from a file. */
static AccArray *
gather_spread (AccArray *a)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a));
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) places = acc_array_generate (shape, spread, &n);

  return acc_array_gather (a, places);
}

/* The places are what was gathered. */
static AccArray *
gather_twice (AccArray *a)
{
  g_autoptr(AccArray) once = gather (a);

  return gather (once);
}

#define COLUMNS 10

typedef struct {
  AccArray *places;
  gint64    n, n_rows;
} Rows;

/* Of [i, j, k]: the column is k, the row what the array of places has in row-major order at [i, j]. */
static AccExpr *
row_by (AccExpr *index, gpointer data)
{
  const Rows *rows = data;
  AccElementType *type = acc_element_type_new (ACC_KIND_I64);
  AccExpr *at = acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_typed_int (type, 2)), acc_expr_item (index, 1)),
    *place = acc_expr_linear_index (rows->places, acc_expr_rem (at, acc_expr_new_typed_int (type, rows->n)));

  return acc_expr_tuple2 (acc_expr_rem (place, acc_expr_new_typed_int (type, rows->n_rows)), acc_expr_item (index, 2));
}

/* Rows of a matrix, as an array of three dimensions. */
static AccArray *
gather_rows (AccArray *a)
{
  gint64 n = acc_shape_get_size (acc_array_get_shape (a)), width = n % COLUMNS == 0 ? COLUMNS : 1, n_rows = n / width, most = G_MAXINT32;
  g_autoptr(AccShape) matrix = acc_shape_new_matrix (n_rows, width), shape = acc_shape_new ((gint64[]) { n_rows / 2, 2, width }, 3);
  g_autoptr(AccArray) table = acc_array_reshape (a, matrix), places = acc_array_map (a, place_by, &most);

  return acc_array_backpermute (table, shape, row_by, &(Rows) { places, MAX (n, 1), MAX (n_rows, 1) });
}

static const TestExternalProgram programs[] = {
  { "gather", gather, "i4 u2 i8" },
  { "gather-spread", gather_spread, "f4 u1 (i4,f8,b1)" },
  { "gather-twice", gather_twice, "i4", TRUE },
  { "gather-rows", gather_rows, "i4" },
};

/* --- what goes wrong */

static AccExpr *
far (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)), acc_expr_new_int (*(const gint *) data));
}

static void
test_gather_bounds (TestExternal *f, gconstpointer data)
{
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (f->source));
  gint64 n = 200000;
  g_autoptr(AccArray) within = acc_array_map (array, place_by, &n), above = acc_array_map (within, far, &(gint) { 200000 }),
    below = acc_array_map (within, far, &(gint) { -200000 });

  g_clear_object (&f->sorted);
  f->sorted = acc_array_gather (array, above);
  acc_array_set_label (f->sorted, "far");
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_BOUNDS, "gather “far”", ": index [");
  g_clear_object (&f->sorted);
  f->sorted = acc_array_gather (array, below);
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_BOUNDS, "gather", "] is outside the extents [200000]");
}

/* No matter when, and what is refused. */
static void
test_gather_broken (TestExternal *f, gconstpointer data)
{
  g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (f->source));

  g_clear_object (&f->sorted);
  f->sorted = gather (array);
  acc_array_set_label (f->sorted, "all");
  test_external_check_refused (f, NULL);
  acc_backend_set_temporary_quota (f->backend, 300000);
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "gather “all”", "of 300000 allowed");
  acc_backend_set_temporary_quota (f->backend, 0);
  f->source->fail_row = 150000;
  test_external_expect_failure (f, NULL, ACC_ERROR, ACC_ERROR_IO, "gather “all”", "bad row 150000");
  f->source->fail_row = -1;
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
#define ADD(name, func) \
  g_test_add ("/stream/external/" name, TestExternal, NULL, test_external_set_up, func, test_external_tear_down)
  ADD ("gather-bounds", test_gather_bounds);
  ADD ("gather-broken", test_gather_broken);
#undef ADD

  return g_test_run ();
}
