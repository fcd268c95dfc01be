/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <string.h>

/* How many elements a walk takes at once where they should be done soon. */

static AccBackend *backend;

/* --- a camera that has as many frames as are asked for, and keeps in mind how many that were */

#define TEST_TYPE_CAMERA (test_camera_get_type ())
G_DECLARE_FINAL_TYPE (TestCamera, test_camera, TEST, CAMERA, AccSequenceProducer)

struct _TestCamera {
  AccSequenceProducer parent_instance;

  gint64 next;
  gint64 asked;   /* the most at once */
  gint64 first;   /* at first */
};

G_DEFINE_FINAL_TYPE (TestCamera, test_camera, ACC_TYPE_SEQUENCE_PRODUCER)

#define N_FRAMES 3000

static AccExpr *
count_from (AccExpr *index, gpointer first)
{
  return acc_expr_add (acc_expr_item (index, 0), acc_expr_new_int (*(gint64 *) first));
}

static AccNestedArray *
test_camera_read (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GCancellable *cancellable, GError **error)
{
  TestCamera *self = TEST_CAMERA (producer);
  gint64 n = MIN (MIN (max_elements, MAX (max_values / 4, 1)), N_FRAMES - self->next);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n, 4);
  g_autoptr(AccArray) frames = NULL, held = NULL;

  self->asked = MAX (self->asked, max_elements);
  if (self->first == 0)
    self->first = max_elements;
  if (n == 0)
    return NULL;

  frames = acc_array_generate (shape, count_from, &self->next);
  self->next += n;
  held = acc_backend_run (backend, frames, cancellable, error);

  return held != NULL ? acc_nested_array_new_from_regular (held) : NULL;
}

static gboolean
test_camera_rewind (AccSequenceProducer *producer, GError **error)
{
  TEST_CAMERA (producer)->next = 0;

  return TRUE;
}

static void
test_camera_class_init (TestCameraClass *klass)
{
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->read = test_camera_read;
  ACC_SEQUENCE_PRODUCER_CLASS (klass)->rewind = test_camera_rewind;
}

static void
test_camera_init (TestCamera *self)
{
}

/* --- tests */

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccArray *
add_frames (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_zip_with (arrays[0], arrays[1], add, NULL);
}

static AccArray *
sum_frame (AccArray **arrays, guint n_arrays, gpointer data)
{
  return acc_array_fold_all (arrays[0], acc_expr_new_int (0), add, NULL);
}

static gint64
walk (AccSequence *sums)
{
  g_autoptr(AccArray) total = acc_sequence_fold (sums, NULL, add_frames, NULL), held = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = NULL;

  held = acc_backend_run (backend, total, NULL, &error);
  g_assert_no_error (error);
  bytes = acc_array_dup_bytes (held, 0, NULL);

  return *(const gint64 *) g_bytes_get_data (bytes, NULL);
}

static void
test_targets (void)
{
  static const gint64 latencies[] = { 0, 1, G_TIME_SPAN_HOUR };
  gint64 right = 0;

  for (gint64 i = 0; i < N_FRAMES; i++)
    right += 4 * i;

  for (guint i = 0; i < G_N_ELEMENTS (latencies); i++)
    {
      g_autoptr(AccShape) shape = acc_shape_new_vector (4);
      g_autoptr(TestCamera) camera = g_object_new (TEST_TYPE_CAMERA, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1,
                                                   "shape", shape, NULL);
      g_autoptr(AccSequence) sequence = acc_sequence_new (ACC_SEQUENCE_PRODUCER (camera)),
                             sums = acc_sequence_map (sequence, sum_frame, NULL);

      g_assert_cmpint (acc_sequence_get_latency (sequence), ==, 0);
      acc_sequence_set_latency (sequence, latencies[i]);
      g_assert_cmpint (acc_sequence_get_latency (sequence), ==, latencies[i]);
      /* The second begins where the first one ended. */
      for (guint round = 0; round < 2; round++)
        {
          camera->asked = camera->first = 0;
          g_assert_cmpint (walk (sums), ==, right);
          /* Nothing takes less than a microsecond, and all frames much less than an hour. */
          if (latencies[i] == 1)
            g_assert_cmpint (camera->asked, ==, 1);
          else
            g_assert_cmpint (camera->asked, >=, 256);
          if (latencies[i] == G_TIME_SPAN_HOUR && round == 0)
            g_assert_cmpint (camera->first, ==, 1);
          else if (latencies[i] == G_TIME_SPAN_HOUR)
            g_assert_cmpint (camera->first, >=, 256);
        }
    }
}

/* The least of several counts, wherever it is. */
static void
test_least (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  g_autoptr(TestCamera) camera = g_object_new (TEST_TYPE_CAMERA, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1,
                                               "shape", shape, NULL);
  g_autoptr(AccSequence) sequence = acc_sequence_new (ACC_SEQUENCE_PRODUCER (camera)), sums = acc_sequence_map (sequence, sum_frame, NULL);
  g_autoptr(AccSequence) few = NULL, rest = NULL;

  acc_sequence_set_latency (sequence, G_TIME_SPAN_HOUR);
  acc_sequence_set_latency (sums, 1);
  walk (sums);
  g_assert_cmpint (camera->asked, ==, 1);
  /* Elements are cut before they are mapped. */
  few = acc_sequence_take (sums, 10);
  rest = acc_sequence_drop (sums, 2);
  g_assert_cmpint (acc_sequence_get_latency (few), ==, 1);
  g_assert_cmpint (acc_sequence_get_latency (rest), ==, 1);
}

static void
test_plan (void)
{
  g_autoptr(TestCamera) camera = g_object_new (TEST_TYPE_CAMERA, "element-type", acc_element_type_new (ACC_KIND_I64), "rank", 1, NULL);
  g_autoptr(AccSequence) sequence = acc_sequence_new (ACC_SEQUENCE_PRODUCER (camera));
  g_autoptr(AccArray) count = acc_sequence_count (sequence);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccPlan) plan = NULL;
  g_autofree char *text = NULL;

  acc_sequence_set_latency (sequence, 33 * G_TIME_SPAN_MILLISECOND);
  plan = acc_backend_plan (backend, count, NULL, 0, &error);
  g_assert_no_error (error);
  text = acc_plan_to_string (plan);
  if (strstr (text, "would take more than 33 ms") == NULL)
    g_error ("%s", text);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  g_test_init (&argc, &argv, NULL);
  backend = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);

  g_test_add_func ("/latency/targets", test_targets);
  g_test_add_func ("/latency/least", test_least);
  g_test_add_func ("/latency/plan", test_plan);

  return g_test_run ();
}
