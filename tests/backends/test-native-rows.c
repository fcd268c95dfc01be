/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "native-helpers.h"

#include "acc-core/array/acc-array-private.h"
#include "acc-core/backend/acc-backend-private.h"

#include <math.h>
#include <string.h>

/* Runs of the native backend by rows. */

G_DECLARE_FINAL_TYPE (NoiseSource, noise_source, NOISE, SOURCE, AccSource)

struct _NoiseSource
{
  AccSource parent_instance;
};

G_DEFINE_FINAL_TYPE (NoiseSource, noise_source, ACC_TYPE_SOURCE)

static void
noise_source_class_init (NoiseSourceClass *klass)
{
}

static void
noise_source_init (NoiseSource *self)
{
}

static AccArray *
make_source (gint64 rows,
             gint64 columns)
{
  g_autoptr(AccShape) shape = acc_shape_new_matrix (rows, columns);
  g_autoptr(AccSource) source = g_object_new (noise_source_get_type (), "element-type", acc_element_type_new (ACC_KIND_F32),
                                              "shape", shape, "name", "noise", NULL);

  return acc_array_new_from_source (source);
}

static void
run_by_rows (AccArray **arrays,
             guint      n_arrays,
             AccArray  *data,
             gint64     band,
             GBytes   **results)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (arrays, n_arrays);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);
  g_autoptr(AccRowRun) rows = acc_executable_begin_rows (executable, NULL, 0, NULL, &error);
  g_autofree guint8 **memory = NULL;

  g_assert_no_error (error);
  memory = g_new0 (guint8 *, rows->n_values + 1);
  for (guint i = 0; i < rows->n_values; i++)
    {
      const AccRowValue *value = &rows->values[i];
      gsize size = value->n_rows * value->row_elements * acc_element_type_get_size (value->type);
      gpointer leaf;

      if (value->kind == ACC_ROW_VALUE_REDUCED)
        continue;
      memory[i] = g_malloc0 (size + 64);
      leaf = memory[i];
      if (value->kind == ACC_ROW_VALUE_SOURCE)
        memcpy (leaf, (gpointer) (guintptr) acc_array_get_address (data, 0), size);
      /* Row 0 need not be in the window: nothing before the first row is read. */
      rows->klass->set_window (rows, i, &leaf, 0, value->n_rows);
    }
  for (guint s = 0; s < rows->n_steps; s++)
    for (gint64 begin = 0; begin < rows->steps[s].n_rows; begin += band)
      {
        gint64 end = MIN (begin + band, rows->steps[s].n_rows);

        /* Windows that begin later show whether addresses are biased right. */
        for (guint w = 0; w < rows->steps[s].n_writes; w++)
          {
            guint v = rows->steps[s].writes[w];
            const AccRowValue *value = &rows->values[v];
            gpointer leaf = memory[v] == NULL ? NULL
                            : memory[v] + begin * value->row_elements * acc_element_type_get_size (value->type);

            if (leaf != NULL)
              rows->klass->set_window (rows, v, &leaf, begin, end - begin);
          }
        g_assert_true (rows->klass->run_step (rows, s, begin, end, NULL, &error));
        g_assert_no_error (error);
        for (guint w = 0; w < rows->steps[s].n_writes; w++)
          {
            guint v = rows->steps[s].writes[w];
            gpointer leaf = memory[v];

            if (leaf != NULL)
              rows->klass->set_window (rows, v, &leaf, 0, rows->values[v].n_rows);
          }
      }
  for (guint i = 0; i < rows->n_values; i++)
    {
      const AccRowValue *value = &rows->values[i];

      if (value->result < 0)
        continue;
      g_assert_null (results[value->result]);
      if (value->kind == ACC_ROW_VALUE_REDUCED)
        {
          g_autoptr(AccArray) reduced = rows->klass->dup_reduced (rows, i, &error);

          g_assert_no_error (error);
          results[value->result] = acc_array_dup_bytes (reduced, 0, &error);
        }
      else
        results[value->result] = g_bytes_new (memory[i], value->n_rows * value->row_elements
                                                         * acc_element_type_get_size (value->type));
    }
  for (guint i = 0; i < rows->n_values; i++)
    g_free (memory[i]);
}

static void
assert_floats_near (GBytes *a,
                    GBytes *b)
{
  gsize n_a, n_b;
  const float *x = g_bytes_get_data (a, &n_a);
  const float *y = g_bytes_get_data (b, &n_b);

  g_assert_cmpuint (n_a, ==, n_b);
  for (gsize i = 0; i < n_a / sizeof (float); i++)
    g_assert_cmpfloat (fabs (x[i] - y[i]), <=, 1e-4 * fabs (y[i]));
}

static void
test_by_rows (void)
{
  static const gint64 bands[] = { 1, 7, 64, 1000 };
  g_autoptr(AccArray) data = native_use_noise (150, 333, 11);
  g_autoptr(AccArray) table = native_use_noise (10, 10, 12);
  g_autoptr(AccArray) source = make_source (150, 333);
  AccArray *whole[3], *streamed[3];
  GBytes *expected[3];
  g_autoptr(GError) error = NULL;

  native_make_results (data, table, whole);
  native_make_results (source, table, streamed);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(AccArray) result = native_run (whole[i]);

      expected[i] = acc_array_dup_bytes (result, 0, &error);
    }

  for (guint b = 0; b < G_N_ELEMENTS (bands); b++)
    {
      GBytes *results[3] = { NULL };
      GBytes *again[3] = { NULL };

      run_by_rows (streamed, 3, data, bands[b], results);
      g_assert_true (g_bytes_equal (results[0], expected[0]));
      assert_floats_near (results[1], expected[1]);
      g_assert_true (g_bytes_equal (results[2], expected[2]));

      /* Without a source, in memory */
      run_by_rows (whole, 1, data, bands[b], again);
      g_assert_true (g_bytes_equal (again[0], expected[0]));
      for (guint i = 0; i < 3; i++)
        g_clear_pointer (&results[i], g_bytes_unref);
      g_clear_pointer (&again[0], g_bytes_unref);
    }
  for (guint i = 0; i < 3; i++)
    {
      g_bytes_unref (expected[i]);
      g_object_unref (whole[i]);
      g_object_unref (streamed[i]);
    }
}

static void
test_copies_by_rows (void)
{
  g_autoptr(AccArray) data = native_use_noise (20, 30, 11);
  g_autoptr(AccArray) source = make_source (20, 30);
  g_autoptr(AccArray) blurred = native_blur (source);
  g_autoptr(AccArray) reference = native_blur (data);
  g_autoptr(AccArray) table = native_use_noise (3, 3, 1);
  AccArray *wanted[] = { source, blurred, blurred, table };
  GBytes *results[4] = { NULL };
  g_autoptr(AccArray) expected = native_run (reference);
  g_autoptr(GBytes) bytes = acc_array_dup_bytes (expected, 0, NULL);
  g_autoptr(GBytes) data_bytes = acc_array_dup_bytes (data, 0, NULL);
  g_autoptr(GBytes) table_bytes = acc_array_dup_bytes (table, 0, NULL);

  run_by_rows (wanted, 4, data, 6, results);
  g_assert_true (g_bytes_equal (results[0], data_bytes));
  g_assert_true (g_bytes_equal (results[1], bytes));
  g_assert_true (g_bytes_equal (results[2], bytes));
  g_assert_true (g_bytes_equal (results[3], table_bytes));
  for (guint i = 0; i < 4; i++)
    g_bytes_unref (results[i]);
}

static AccExpr *
swap (AccExpr  *index,
      gpointer  data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

static void
test_not_by_rows (void)
{
  g_autoptr(AccArray) source = make_source (20, 30);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (30, 20);
  g_autoptr(AccArray) turned = acc_array_backpermute (source, shape, swap, NULL);
  g_autoptr(AccArray) sum = acc_array_sum_all (source);
  g_autoptr(AccArray) limit = acc_array_unit (acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 3));
  g_autoptr(AccArray) condition = acc_array_lt (sum, limit);
  g_autoptr(AccArray) chosen = acc_array_cond (condition, source, source);
  AccArray *bad[] = { turned, chosen };

  acc_array_set_label (turned, "turn");
  acc_array_set_label (chosen, "choice");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(AccProgram) program = acc_program_new_for_results (&bad[i], 1);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccExecutable) executable = acc_backend_compile (native_backend, program, NULL, &error);

      g_assert_no_error (error);
      g_assert_null (acc_executable_begin_rows (executable, NULL, 0, NULL, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_STREAM);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, i == 0 ? "turn" : "choice"));
    }
}

int
main (int    argc,
      char **argv)
{
  native_begin (&argc, &argv);

  g_test_add_func ("/native/by-rows", test_by_rows);
  g_test_add_func ("/native/copies-by-rows", test_copies_by_rows);
  g_test_add_func ("/native/not-by-rows", test_not_by_rows);

  return native_end ();
}
