/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What mistakes with nested arrays and sequences say: the name of the operation, first of all, and the label where one was given. */

#include <acc/acc.h>

#include <string.h>

/* Freed at the end, so that expressions can be nested. */
static GPtrArray *kept;

static gpointer
keep (gpointer object)
{
  g_ptr_array_add (kept, object);

  return object;
}

static AccArray *
ints_of (const char *code, guint n, const gint64 *values)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);
  g_autoptr(AccArray) wide = acc_array_use (acc_element_type_parse ("i8", NULL), shape, bytes);

  return keep (acc_array_cast (wide, acc_element_type_parse (code, NULL)));
}

#define INTS(...) ints_of ("i8", G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })
#define FLOATS(...) ints_of ("f8", G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), (gint64[]) { __VA_ARGS__ })
#define MATRIX() keep (acc_array_reshape_expr (INTS (1, 2, 3, 4), acc_expr_tuple2 (acc_expr_new_int (2), acc_expr_new_int (2))))
#define SCALAR() keep (acc_array_unit (acc_expr_new_int (1)))
#define ROWS() keep (acc_nested_array_new_from_lengths (FLOATS (3, 1, 2, 9, 4, 4), INTS (3, 0, 1, 2)))
/* As many values, and one element less. */
#define OTHERS() keep (acc_nested_array_new_from_lengths (FLOATS (3, 1, 2, 9, 4, 4), INTS (3, 1, 2)))
#define GROUPS_FOR(...) acc_nested_array_nest (ROWS (), INTS (__VA_ARGS__))
#define GROUPS(...) keep (GROUPS_FOR (__VA_ARGS__))
#define CONSTANT() keep (acc_nested_array_map (ROWS (), f_count, NULL))
#define SEQUENCE() keep (acc_sequence_new_from_nested (ROWS ()))

/* --- functions */

static AccArray *
f_same (AccArray **a, guint n, gpointer data)
{
  return g_object_ref (a[n - 1]);
}

static AccArray *
f_nothing (AccArray **a, guint n, gpointer data)
{
  return NULL;
}

/* Runs it while there is no element. */
static AccArray *
f_run (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (2);
  g_autoptr(AccArray) random = acc_array_random_bits (acc_element_type_parse ("u4", NULL), shape, 1, 2);

  g_assert_null (acc_backend_run (acc_backend_get_default (NULL), random, NULL, data));

  return g_object_ref (a[0]);
}

static AccArray *
f_count (AccArray **a, guint n, gpointer data)
{
  return acc_array_unit (acc_expr_new_int (1));
}

static GPtrArray *
f_one (AccArray **a, guint n, gpointer data)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (results, g_object_ref (a[0]));

  return results;
}

static AccExpr *
e_add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

/* Fails for an element without a value. */
static AccArray *
f_fold1 (AccArray **a, guint n, gpointer data)
{
  return acc_array_fold1 (a[0], e_add, NULL);
}

static AccArray *
f_pairs (AccArray **a, guint n, gpointer data)
{
  AccArray *pairs = acc_array_reshape_expr (a[0], acc_expr_tuple2 (acc_expr_new_int (1), acc_expr_new_int (2)));

  acc_array_set_label (pairs, "pairs");

  return pairs;
}

static AccNestedArray *
n_nothing (AccNestedArray *element, gpointer data)
{
  return NULL;
}

/* --- what is expected */

/* The interpreter gives indices in brackets. */
static gboolean
contains (const char *message, const char *says)
{
  g_autoptr(GString) plain = g_string_new (message);

  g_string_replace (plain, "index [", "index ", 0);
  g_string_replace (plain, "] is outside", " is outside", 0);

  return strstr (plain->str, says) != NULL;
}

static void
expect (const char *name, AccError code, const char *says, const GError *error)
{
  gsize length = strlen (name);

  if (!g_error_matches (error, ACC_ERROR, code))
    g_error ("%s, %s: code %d: %s", name, says, error != NULL ? error->code : -1, error != NULL ? error->message : "no error");
  if (!g_str_has_prefix (error->message, name) || strchr (": ", error->message[length]) == NULL || !contains (error->message, says))
    g_error ("%s, %s: %s", name, says, error->message);
}

/* Each in turn takes over what it is given. */
static void
array_says (const char *name, AccError code, const char *says, AccArray *array)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) computed = acc_backend_run (acc_backend_get_default (NULL), array, NULL, &error);

  expect (name, code, says, error);
  g_object_unref (array);
}

static void
nested_says (const char *name, AccError code, const char *says, AccNestedArray *nested)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) computed = acc_backend_run_nested (acc_backend_get_default (NULL), nested, NULL, &error);

  expect (name, code, says, error);
  g_object_unref (nested);
}

static void
sequence_says (const char *name, AccError code, const char *says, AccSequence *sequence)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_sequence_check (sequence, &error));
  expect (name, code, says, error);
  g_object_unref (sequence);
}

/* --- nested arrays */

static void
test_functions (void)
{
  nested_says ("nested_array_map", ACC_ERROR_CALLBACK, "no function", acc_nested_array_map (ROWS (), NULL, NULL));
  nested_says ("nested_array_map", ACC_ERROR_CALLBACK, "returned nothing", acc_nested_array_map (ROWS (), f_nothing, NULL));
  nested_says ("nested_array_map", ACC_ERROR_CALLBACK, "returned nothing", acc_nested_array_map (GROUPS (1, 3), f_nothing, NULL));
  nested_says ("nested_array_imap", ACC_ERROR_CALLBACK, "no function", acc_nested_array_imap (ROWS (), NULL, NULL));
  nested_says ("nested_array_imap", ACC_ERROR_CALLBACK, "returned nothing", acc_nested_array_imap (ROWS (), f_nothing, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_CALLBACK, "no function", acc_nested_array_zip_with (ROWS (), ROWS (), NULL, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_CALLBACK, "nothing", acc_nested_array_zip_with (ROWS (), ROWS (), f_nothing, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_SHAPE, "levels", acc_nested_array_zip_with (ROWS (), GROUPS (1, 3), f_same, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_SHAPE, "levels", acc_nested_array_zip_with (GROUPS (1, 3), ROWS (), f_same, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_BOUNDS,
               "nested_array_zip_with: element 3 is there in one nested array, and not in another",
               acc_nested_array_zip_with (ROWS (), OTHERS (), f_same, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_BOUNDS, "element 3 is there in one",
               acc_nested_array_zip_with (OTHERS (), ROWS (), f_count, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_BOUNDS, "element 0 has more elements in one nested array than in another",
               acc_nested_array_zip_with (GROUPS (1, 3), GROUPS (2, 2), f_same, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_BOUNDS, "element 0 has more elements in one nested array than in another",
               acc_nested_array_zip_with (GROUPS (1, 3), GROUPS (2, 2), f_count, NULL));
  nested_says ("nested_array_zip_with", ACC_ERROR_BOUNDS, "element 2 is there in one nested array, and not in another",
               acc_nested_array_zip_with (GROUPS (1, 3), GROUPS (1, 1, 2), f_same, NULL));
  nested_says ("nested_array_map_nested", ACC_ERROR_SHAPE, "elements are arrays", acc_nested_array_map_nested (ROWS (), n_nothing, NULL));
  nested_says ("nested_array_map_nested", ACC_ERROR_CALLBACK, "no function", acc_nested_array_map_nested (GROUPS (4), NULL, NULL));
  nested_says ("nested_array_map_nested", ACC_ERROR_CALLBACK, "nothing", acc_nested_array_map_nested (GROUPS (4), n_nothing, NULL));
  nested_says ("nested_array_filter", ACC_ERROR_CALLBACK, "no function", acc_nested_array_filter (ROWS (), NULL, NULL));
  nested_says ("nested_array_filter", ACC_ERROR_CALLBACK, "returned nothing", acc_nested_array_filter (ROWS (), f_nothing, NULL));
  nested_says ("nested_array_filter", ACC_ERROR_TYPE, "no b1", acc_nested_array_filter (ROWS (), f_count, NULL));
  nested_says ("nested_array_filter", ACC_ERROR_TYPE, "no b1", acc_nested_array_filter (GROUPS (4), f_same, NULL));
  nested_says ("fold1", ACC_ERROR_SHAPE, "fold1: element 1 has nothing to fold, and no initial value is given",
               acc_nested_array_map (ROWS (), f_fold1, NULL));
  nested_says ("reshape", ACC_ERROR_SHAPE, "reshape: pairs: element 0 does not have as many values as its extents say",
               acc_nested_array_map (ROWS (), f_pairs, NULL));
}

static void
test_random (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (ROWS (), f_run, &error);

  expect ("nested_array_map", ACC_ERROR_UNSUPPORTED, "“the number of an element, which its random numbers follow from”", error);
}

static void
test_choices (void)
{
  nested_says ("nested_array_gather", ACC_ERROR_TYPE, "vector of integers", acc_nested_array_gather (ROWS (), FLOATS (1)));
  nested_says ("nested_array_gather", ACC_ERROR_TYPE, "vector of integers", acc_nested_array_gather (ROWS (), SCALAR ()));
  nested_says ("nested_array_gather", ACC_ERROR_BOUNDS, "there is no element 4", acc_nested_array_gather (ROWS (), INTS (1, 4)));
  nested_says ("nested_array_gather", ACC_ERROR_BOUNDS, "there is no element -1", acc_nested_array_gather (ROWS (), INTS (-1)));
  nested_says ("nested_array_gather", ACC_ERROR_BOUNDS, "there is no element 2", acc_nested_array_gather (GROUPS (1, 3), INTS (2)));
  nested_says ("nested_array_gather", ACC_ERROR_BOUNDS, "there is no element 2",
               acc_nested_array_gather (keep (acc_nested_array_new_from_regular (MATRIX ())), INTS (0, 2)));
  /* Of which nothing is read. */
  nested_says ("nested_array_gather", ACC_ERROR_BOUNDS, "there is no element 7",
               acc_nested_array_gather (keep (acc_nested_array_new_from_regular (keep (acc_array_take (MATRIX (), 0)))), INTS (7)));
  nested_says ("nested_array_concat", ACC_ERROR_SHAPE, "depths", acc_nested_array_concat (ROWS (), GROUPS (4)));
  nested_says ("nested_array_concat", ACC_ERROR_TYPE, "types",
               acc_nested_array_concat (ROWS (), keep (acc_nested_array_new_from_regular (MATRIX ()))));
  nested_says ("nested_array_flatten_level", ACC_ERROR_SHAPE, "", acc_nested_array_flatten_level (ROWS (), 0));
  nested_says ("nested_array_flatten_level", ACC_ERROR_SHAPE, "", acc_nested_array_flatten_level (GROUPS (4), 2));
  nested_says ("nested_array_dup_nested", ACC_ERROR_SHAPE, "elements are arrays", acc_nested_array_dup_nested (ROWS (), 0));
  nested_says ("nested_array_dup_nested", ACC_ERROR_BOUNDS, "there is no element 1", acc_nested_array_dup_nested (GROUPS (4), 1));
  nested_says ("nested_array_dup_nested", ACC_ERROR_BOUNDS, "there is no element -1", acc_nested_array_dup_nested (GROUPS (4), -1));
  array_says ("nested_array_dup_element", ACC_ERROR_SHAPE, "nested array itself", acc_nested_array_dup_element (GROUPS (4), 0));
  array_says ("nested_array_dup_element", ACC_ERROR_BOUNDS, "there is no element 4", acc_nested_array_dup_element (ROWS (), 4));
  array_says ("nested_array_dup_element", ACC_ERROR_BOUNDS, "index 4 ", acc_nested_array_dup_element (CONSTANT (), 4));
  array_says ("nested_array_dup_element", ACC_ERROR_BOUNDS, "index -1 ",
              acc_nested_array_dup_element (keep (acc_nested_array_new_from_regular (MATRIX ())), -1));
  nested_says ("nested_array_cartesian", ACC_ERROR_BOUNDS, "element 3 is there", acc_nested_array_cartesian (ROWS (), OTHERS ()));
  nested_says ("nested_array_cartesian", ACC_ERROR_SHAPE, "levels", acc_nested_array_cartesian (ROWS (), GROUPS (4)));
}

static void
test_making (void)
{
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_SHAPE, "", acc_nested_array_new_from_lengths (SCALAR (), INTS (1)));
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_TYPE, "", acc_nested_array_new_from_lengths (INTS (1), FLOATS (1)));
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_SHAPE, "", acc_nested_array_new_from_lengths (INTS (1), MATRIX ()));
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_BOUNDS, "the length of element 1 is negative, or",
               acc_nested_array_new_from_lengths (INTS (1), INTS (1, -1)));
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_BOUNDS, "the length of element 0 is",
               acc_nested_array_new_from_lengths (INTS (1), INTS (2)));
  nested_says ("nested_array_new_from_lengths", ACC_ERROR_SHAPE, "", acc_nested_array_new_from_lengths (INTS (1, 2), INTS (1)));
  nested_says ("nested_array_new_from_offsets", ACC_ERROR_BOUNDS, "element 1 ends before",
               acc_nested_array_new_from_offsets (INTS (1, 2), INTS (0, 2, 1)));
  nested_says ("nested_array_new_from_offsets", ACC_ERROR_TYPE, "", acc_nested_array_new_from_offsets (INTS (1, 2), FLOATS (0, 2)));
  nested_says ("nested_array_new_from_offsets", ACC_ERROR_BOUNDS, "element 0 ends before",
               acc_nested_array_new_from_offsets (INTS (1, 2), INTS (0, 3)));
  nested_says ("nested_array_new_from_extents", ACC_ERROR_TYPE, "", acc_nested_array_new_from_extents (INTS (1, 2), FLOATS (2)));
  nested_says ("nested_array_new_from_extents", ACC_ERROR_BOUNDS, "the length of element 0 is",
               acc_nested_array_new_from_extents (INTS (1, 2), INTS (3)));
  nested_says ("nested_array_new_from_regular", ACC_ERROR_SHAPE, "rank 0", acc_nested_array_new_from_regular (SCALAR ()));
  nested_says ("nested_array_new_from_arrays", ACC_ERROR_TYPE, "",
               acc_nested_array_new_from_arrays ((AccArray *[]) { INTS (1), FLOATS (1) }, 2));
  nested_says ("nested_array_new_from_arrays", ACC_ERROR_SHAPE, "",
               acc_nested_array_new_from_arrays ((AccArray *[]) { INTS (1), MATRIX () }, 2));
  nested_says ("nested_array_new_from_keys", ACC_ERROR_SHAPE, "", acc_nested_array_new_from_keys (INTS (1), INTS (1, 2), NULL));
  nested_says ("nested_array_new_from_padded", ACC_ERROR_SHAPE, "", acc_nested_array_new_from_padded (INTS (1), INTS (1)));
  nested_says ("nested_array_new_from_padded", ACC_ERROR_TYPE, "", acc_nested_array_new_from_padded (MATRIX (), FLOATS (1, 1)));
  nested_says ("nested_array_new_from_padded", ACC_ERROR_BOUNDS, "the length of element 1 is",
               acc_nested_array_new_from_padded (MATRIX (), INTS (1, 3)));
  nested_says ("nested_array_nest", ACC_ERROR_TYPE, "", acc_nested_array_nest (ROWS (), FLOATS (4)));
  nested_says ("nested_array_nest", ACC_ERROR_SHAPE, "", acc_nested_array_nest (ROWS (), SCALAR ()));
  nested_says ("nested_array_nest", ACC_ERROR_BOUNDS, "nested_array_nest: the length of element 0 is", GROUPS_FOR (5));
  nested_says ("nested_array_nest", ACC_ERROR_BOUNDS, "the length of element ", GROUPS_FOR (5, -1));
  nested_says ("nested_array_nest", ACC_ERROR_SHAPE, "", GROUPS_FOR (3));
  array_says ("nested_array_to_padded", ACC_ERROR_TYPE, "", acc_nested_array_to_padded (ROWS (), acc_expr_new_bool (FALSE), NULL));
}

/* Ready-made functions. */
static void
test_ready_made (void)
{
  AccNestedArray *flags = keep (acc_nested_array_new_from_lengths (keep (acc_array_cast (INTS (1, 0), acc_element_type_parse ("b1", NULL))),
                                                                   INTS (1, 1)));

  array_says ("nested_array_sum", ACC_ERROR_TYPE, "", acc_nested_array_sum (flags));
  array_says ("nested_array_product", ACC_ERROR_TYPE, "", acc_nested_array_product (flags));
  nested_says ("nested_array_cumsum", ACC_ERROR_TYPE, "", acc_nested_array_cumsum (flags));
  nested_says ("nested_array_argsort", ACC_ERROR_SHAPE, "rank 0", acc_nested_array_argsort (CONSTANT (), FALSE));
  nested_says ("nested_array_cast", ACC_ERROR_TYPE, "scalar", acc_nested_array_cast (ROWS (), acc_element_type_parse ("(i4,i4)", NULL)));
  array_says ("nested_array_minimum", ACC_ERROR_SHAPE, "element 1 has nothing to fold", acc_nested_array_minimum (ROWS ()));
  array_says ("nested_array_maximum", ACC_ERROR_SHAPE, "element 1 has nothing to fold", acc_nested_array_maximum (ROWS ()));
  array_says ("nested_array_argmin", ACC_ERROR_SHAPE, "element 1 has nothing to fold", acc_nested_array_argmin (ROWS ()));
  array_says ("nested_array_argmax", ACC_ERROR_SHAPE, "element 1 has nothing to fold", acc_nested_array_argmax (ROWS ()));
  array_says ("nested_array_all_true", ACC_ERROR_TYPE, "", acc_nested_array_all_true (ROWS ()));
  array_says ("nested_array_any_true", ACC_ERROR_TYPE, "", acc_nested_array_any_true (ROWS ()));
}

/* --- sequences */

static void
test_sequences (void)
{
  AccSequence *numbers = keep (acc_sequence_new_from_array (INTS (1, 2)));

  sequence_says ("sequence_map", ACC_ERROR_CALLBACK, "no function", acc_sequence_map (SEQUENCE (), NULL, NULL));
  sequence_says ("sequence_map", ACC_ERROR_CALLBACK, "nothing", acc_sequence_map (SEQUENCE (), f_nothing, NULL));
  sequence_says ("sequence_imap", ACC_ERROR_CALLBACK, "nothing", acc_sequence_imap (SEQUENCE (), f_nothing, NULL));
  sequence_says ("sequence_zip_with", ACC_ERROR_CALLBACK, "nothing", acc_sequence_zip_with (SEQUENCE (), SEQUENCE (), f_nothing, NULL));
  sequence_says ("sequence_new_generate", ACC_ERROR_CALLBACK, "nothing", acc_sequence_new_generate (2, f_nothing, NULL));
  sequence_says ("sequence_filter", ACC_ERROR_CALLBACK, "no function", acc_sequence_filter (SEQUENCE (), NULL, NULL));
  sequence_says ("sequence_filter", ACC_ERROR_TYPE, "no b1", acc_sequence_filter (SEQUENCE (), f_count, NULL));
  sequence_says ("sequence_take_while", ACC_ERROR_TYPE, "no b1", acc_sequence_take_while (SEQUENCE (), f_count, NULL));
  sequence_says ("sequence_concat", ACC_ERROR_TYPE, "", acc_sequence_concat (SEQUENCE (), numbers));
  sequence_says ("sequence_scan", ACC_ERROR_CALLBACK, "nothing", acc_sequence_scan (SEQUENCE (), SCALAR (), f_nothing, NULL));
  sequence_says ("sequence_scan", ACC_ERROR_TYPE, "", acc_sequence_scan (SEQUENCE (), SCALAR (), f_same, NULL));
  sequence_says ("sequence_batch", ACC_ERROR_SHAPE, "", acc_sequence_batch (SEQUENCE (), 0));
  sequence_says ("sequence_expand", ACC_ERROR_SHAPE, "", acc_sequence_expand (numbers));
  sequence_says ("sequence_map_batch", ACC_ERROR_CALLBACK, "in place of 2",
                 acc_sequence_map_batch (SEQUENCE (), SCALAR (), f_one, NULL));
  sequence_says ("sequence_map_batch", ACC_ERROR_CALLBACK, "", acc_sequence_map_batch (SEQUENCE (), SCALAR (), NULL, NULL));
  sequence_says ("sequence_new_from_array", ACC_ERROR_SHAPE, "", acc_sequence_new_from_array (SCALAR ()));
  array_says ("sequence_fold", ACC_ERROR_CALLBACK, "no function", acc_sequence_fold (SEQUENCE (), NULL, NULL, NULL));
  array_says ("sequence_fold", ACC_ERROR_TYPE, "", acc_sequence_fold (SEQUENCE (), NULL, f_count, NULL));
  array_says ("sequence_fold", ACC_ERROR_TYPE, "the seed", acc_sequence_fold (SEQUENCE (), SCALAR (), f_same, NULL));
  array_says ("sequence_fold_batch", ACC_ERROR_TYPE, "", acc_sequence_fold_batch (SEQUENCE (), SCALAR (), f_same, NULL));
  array_says ("sequence_last", ACC_ERROR_TYPE, "", acc_sequence_last (SEQUENCE (), SCALAR ()));
  array_says ("sequence_stack", ACC_ERROR_SHAPE, "", acc_sequence_stack (SEQUENCE ()));
}

/* What a walk says, and what the elements fail with. */
static void
test_walks (void)
{
  AccSequence *labelled = SEQUENCE (), *pairs = keep (acc_sequence_map (SEQUENCE (), f_pairs, NULL));
  AccSequence *empty = keep (acc_sequence_take (SEQUENCE (), 0)), *batches = keep (acc_sequence_batch (SEQUENCE (), 2));

  acc_sequence_set_label (labelled, "rows");
  array_says ("sequence_stack of “rows”", ACC_ERROR_SHAPE, "", acc_sequence_stack (labelled));
  array_says ("sequence_elements", ACC_ERROR_SHAPE,
              "element 0: reshape “pairs”: [1,2] does not have as many elements as [3]",
              acc_sequence_elements (pairs));
  array_says ("sequence_fold", ACC_ERROR_SHAPE, "no elements", acc_sequence_fold (empty, NULL, f_same, NULL));
  array_says ("sequence_last", ACC_ERROR_SHAPE, "no elements", acc_sequence_last (empty, NULL));
  array_says ("sequence_elements", ACC_ERROR_SHAPE, "extents", acc_sequence_elements (batches));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  kept = g_ptr_array_new_with_free_func (g_object_unref);
  g_test_add_func ("/messages/functions", test_functions);
  g_test_add_func ("/messages/choices", test_choices);
  g_test_add_func ("/messages/random", test_random);
  g_test_add_func ("/messages/making", test_making);
  g_test_add_func ("/messages/ready-made", test_ready_made);
  g_test_add_func ("/messages/sequences", test_sequences);
  g_test_add_func ("/messages/walks", test_walks);
  result = g_test_run ();
  g_ptr_array_unref (kept);

  return result;
}
