/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <string.h>

#include "acc-backends/codegen/stablehlo/acc-hlo-check.h"
#include "acc-backends/codegen/stablehlo/acc-stablehlo.h"

/* The text of modules, without anybody who compiles it: what each operation becomes, and that every name is there before it is used. What
 * it computes is for the conformance tests, where there is a plugin. */

static AccHloModule *
write_module_for (AccArray             *array,
                  const AccHloOptions  *options,
                  gboolean              is_narrow,
                  GError              **error)
{
  AccTarget target = acc_target_cpu;
  g_autoptr(AccFusionGraph) graph = NULL;

  target.for_modules = TRUE;
  target.narrow_modules = is_narrow;
  graph = acc_fusion_graph_new (&target, NULL, &array, 1, NULL, NULL, 0, error);
  if (graph == NULL)
    return NULL;

  return acc_hlo_module_new (graph, &array, 1, options, error);
}

static AccHloModule *
write_module (AccArray  *array,
              GError   **error)
{
  const AccHloOptions options = { .keeps_order = TRUE };

  return write_module_for (array, &options, FALSE, error);
}

static gsize
name_length (const char *name)
{
  gsize n = 1;

  while (g_ascii_isalnum (name[n]))
    n++;

  return n;
}

/* Names of one line: what it defines comes to @defined, the others must be there. Arguments of a block are followed by a colon. */
static void
check_line (const char *line,
            GHashTable *defined)
{
  gboolean is_head = strstr (line, "^bb0(") != NULL || strstr (line, "@main(") != NULL;
  const char *equals = strstr (line, " = ");
  g_autofree char *left = NULL;

  if (!is_head && equals != NULL && line[strspn (line, " ")] == '%')
    {
      const char *begin = line + strspn (line, " ");

      left = g_strndup (begin, name_length (begin));
      line = equals;
    }
  for (const char *at = strchr (line, '%'); at != NULL; at = strchr (at + 1, '%'))
    {
      char *name = g_strndup (at, name_length (at));

      if (is_head)
        {
          g_assert_true (g_hash_table_add (defined, name));
          continue;
        }
      if (!g_hash_table_contains (defined, name))
        g_error ("%s is used before it is there: %s", name, line);
      g_free (name);
    }
  if (left != NULL)
    g_assert_true (g_hash_table_add (defined, g_steal_pointer (&left)));
}

/* Values of regions are named behind the operation that has them, which is where its operands are. */
static void
check_names (const char *text)
{
  g_autoptr(GHashTable) defined = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);
  int depth = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      check_line (lines[i], defined);
      for (const char *c = lines[i]; *c != '\0'; c++)
        depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
      g_assert_cmpint (depth, >=, 0);
    }
  g_assert_cmpint (depth, ==, 0);
}

/* Takes over @array. Each of @wanted, which ends with NULL, must be in the text; a string that begins with "!" must not. */
static void
expect (AccArray          *array,
        const char *const *wanted)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccHloModule) module = write_module (owned, &error);

  g_assert_no_error (error);
  check_names (module->text);
  for (; *wanted != NULL; wanted++)
    {
      gboolean is_there = strstr (module->text, **wanted == '!' ? *wanted + 1 : *wanted) != NULL;

      if (is_there == (**wanted == '!'))
        g_error ("%s: in the text\n%s", *wanted, module->text);
    }
  g_assert_cmpuint (module->results->len, ==, acc_element_type_get_n_buffers (acc_array_get_element_type (owned)));
}

#define EXPECT(array, ...) expect (array, (const char *const[]) { __VA_ARGS__, NULL })

/* --- inputs */

static AccArray *
matrix_of (const char *code,
           gint64      n,
           gint64      m)
{
  AccElementType *type = acc_element_type_parse (code, NULL);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (n, m);
  gsize size = (gsize) (n * m) * acc_element_type_get_size (type);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size + 1), size);

  return acc_array_use (type, shape, bytes);
}

static AccArray *
vector_of (const char *code,
           gint64      n)
{
  g_autoptr(AccArray) matrix = matrix_of (code, 1, n);

  return acc_array_flatten (matrix);
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
times (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_mul (x, y);
}

/* Does not commute, and has no neutral element that is known: 2 x - y. */
static AccExpr *
odd (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_sub (acc_expr_add (x, x), y);
}

static AccExpr *
quotient (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_quot (x, y);
}

/* --- elements */

static void
test_elements (void)
{
  g_autoptr(AccArray) x = vector_of ("f4", 10), y = vector_of ("f4", 7), i = vector_of ("i4", 9), j = vector_of ("i4", 9);

  EXPECT (acc_array_zip_with (x, y, plus, NULL), "stablehlo.slice", "[0:7]", "stablehlo.add", "!compare");
  /* Bits that no compiler knows are between a product and what is added to it. */
  EXPECT (acc_array_zip_with (x, x, times, NULL), "stablehlo.multiply", "stablehlo.xor", "%v0");
  EXPECT (acc_array_zip_with (i, j, times, NULL), "stablehlo.multiply", "!xor");
  /* A quotient has its checks, and nothing that would fail is computed. */
  EXPECT (acc_array_zip_with (i, j, quotient, NULL), "stablehlo.divide", "stablehlo.select", "applies stablehlo.or");
}

static AccExpr *
guarded (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_ne (y, acc_expr_new_int (0)), acc_expr_quot (x, y), acc_expr_new_int (0));
}

static AccExpr *
is_below (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, acc_expr_new_int (100));
}

static AccExpr *
doubled (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, x);
}

static AccExpr *
doubled_up (AccExpr *x, gpointer data)
{
  AccExpr *next = acc_expr_add (x, x);

  return acc_expr_tuple ((AccExpr *[]) { acc_expr_lt (next, acc_expr_new_int (100)), next }, 2);
}

static AccExpr *
loop (AccExpr *x, gpointer data)
{
  return acc_expr_while (x, doubled_up, NULL);
}

/* An iteration goes on from the state of the last: in the loop's blocks nothing is added to what the first condition is about. */
static void
check_loop (AccArray *i)
{
  g_autoptr(AccArray) looped = acc_array_map (i, loop, NULL);
  g_autoptr(AccHloModule) module = write_module (looped, NULL);
  const char *block = strstr (module->text, "^bb0("), *sum = strstr (module->text, "stablehlo.add %");
  g_autofree char *first = g_strndup (sum, strcspn (sum, ","));

  g_assert_true (sum < block);
  g_assert_nonnull (strstr (block, "stablehlo.add %"));
  g_assert_null (strstr (block, first));
}

static void
test_flow (void)
{
  g_autoptr(AccArray) i = vector_of ("i4", 9), j = vector_of ("i4", 9);

  /* What is not taken does not fail: the check is masked. */
  EXPECT (acc_array_zip_with (i, j, guarded, NULL), "stablehlo.and", "stablehlo.select");
  EXPECT (acc_array_map (i, loop, NULL), "\"stablehlo.while\"", "applies stablehlo.or", "!stablehlo.map");
  check_loop (i);
  EXPECT (acc_array_map (i, is_below, NULL), "stablehlo.compare LT", "SIGNED", "tensor<9xi1>");
  EXPECT (acc_array_map (i, doubled, NULL), "stablehlo.add");
}

/* --- moves */

static AccExpr *
looked_up (AccExpr *i, gpointer array)
{
  return acc_expr_index (array, i);
}

static void
test_moves (void)
{
  g_autoptr(AccArray) x = vector_of ("f4", 12), m = matrix_of ("f4", 3, 4), i = vector_of ("i8", 5), none = matrix_of ("f4", 0, 4);
  g_autoptr(AccShape) five = acc_shape_new_vector (5), grid = acc_shape_new_matrix (4, 3);
  g_autoptr(AccArray) complex = vector_of ("c8", 6), words = vector_of ("u4", 5), shorts = vector_of ("i2", 5);

  EXPECT (acc_array_reverse (x), "stablehlo.reverse", "!gather", "!compare");
  EXPECT (acc_array_transpose (m), "stablehlo.transpose", "!gather", "!compare");
  EXPECT (acc_array_take (x, 3), "stablehlo.slice", "!gather");
  EXPECT (acc_array_reshape (m, grid), "tensor<12xf32>");
  EXPECT (acc_array_replicate (x, (gint64[]) { 2, ACC_ALL }, 2), "stablehlo.broadcast_in_dim", "tensor<2x12xf32>");
  EXPECT (acc_array_slice (m, (gint64[]) { 1, ACC_ALL }, 2), "[1:2, 0:4]");
  EXPECT (acc_array_map (i, looked_up, x), "\"stablehlo.gather\"", "applies stablehlo.maximum", "UNSIGNED");
  EXPECT (acc_array_backpermute (x, five, looked_up, i), "\"stablehlo.gather\"");
  /* Integers that were made wider are looked at as they were. */
  EXPECT (acc_array_map (words, looked_up, x), "tensor<5xui32>, tensor<ui32>) -> tensor<ui32>", "!ui64");
  EXPECT (acc_array_map (shorts, looked_up, x), "(tensor<5xi16>) -> tensor<5xi32>", "tensor<ui32>) -> tensor<ui32>", "!ui64");
  EXPECT (acc_array_map (none, doubled, NULL), "dense<> : tensor<0x4xf32>", "!stablehlo.add");
  /* Parts of packed elements are taken out of their vector, and put together again. */
  EXPECT (acc_array_map (complex, doubled, NULL), "tensor<12xf32>", "tensor<6x2xf32>", "stablehlo.concatenate");
}

/* --- reductions and the like */

static AccExpr *
squared (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, x);
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

static void
test_reductions (void)
{
  g_autoptr(AccArray) x = vector_of ("f4", 100000), m = matrix_of ("i4", 3, 40), short_row = vector_of ("i4", 10), squares = NULL;

  /* Long rows go in blocks. */
  EXPECT (acc_array_fold (x, acc_expr_new_float (0), plus, NULL), "\"stablehlo.reduce\"", "tensor<25x4096xf32>", "dense<0x80000000>");
  EXPECT (acc_array_fold1 (m, odd, NULL), "\"stablehlo.reduce\"", "tensor<3x40xi1>", "stablehlo.or");
  /* What is computed is not written to memory as it is: parts of rows are added up before. Exports are as short as they can be. */
  squares = acc_array_map (x, squared, NULL);
  EXPECT (acc_array_fold (squares, acc_expr_new_float (0), plus, NULL), "[75000:100000]", "stablehlo.optimization_barrier",
          "tensor<7x4096xf32>");
  EXPECT (acc_array_fold (x, acc_expr_new_float (0), plus, NULL), "!optimization_barrier");
  /* Of operators that commute, and are no regions, all of it; with what no part has. */
  EXPECT (acc_array_variance (x, 1), "tensor<6250xf32>", "tensor<390xf32>", "stablehlo.concatenate", "!stablehlo.reduce\"");
  /* What may fail is no region. */
  EXPECT (acc_array_fold1 (short_row, quotient, NULL), "!stablehlo.reduce\"", "stablehlo.divide");
  EXPECT (acc_array_scanl1 (m, plus, NULL), "\"stablehlo.reduce_window\"", "[[0, 0], [39, 0]]");
  EXPECT (acc_array_scanl1 (x, plus, NULL), "array<i64: 100000>", "[[99999, 0]]", "-> (tensor<100000xf32>)");
  EXPECT (acc_array_scanl1 (m, larger, NULL), "dense<-2147483648>", "\"stablehlo.reduce_window\"", "!while");
  EXPECT (acc_array_scanl1 (x, larger, NULL), "dense<0x7FC00000>", "\"stablehlo.reduce_window\"", "!while");
  EXPECT (acc_array_scanl1 (m, odd, NULL), "\"stablehlo.while\"", "!reduce_window");
}

static AccExpr *
first (AccExpr *x, AccExpr *y, gpointer data)
{
  return x;
}

static AccExpr *
pair (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (x, y);
}

static AccExpr *
key_of (AccExpr *x, gpointer data)
{
  return acc_expr_bitcast (x, acc_element_type_parse ("u4", NULL));
}

static AccExpr *
cross (AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_item (n, 0), acc_expr_item (n, 2));
}

static void
test_others (void)
{
  g_autoptr(AccArray) words = vector_of ("u4", 5000);
  g_autoptr(AccArray) x = vector_of ("f4", 8), zeros = vector_of ("f4", 5), to = vector_of ("i8", 8);
  g_autoptr(AccArray) pairs = acc_array_zip_with (x, to, pair, NULL), pair_zeros = acc_array_zip_with (zeros, to, pair, NULL);
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccArray) m = matrix_of ("f4", 3, 8), many = vector_of ("f4", 5000);

  EXPECT (acc_array_permute (x, zeros, to, plus, NULL), "\"stablehlo.scatter\"", "!while");
  EXPECT (acc_array_permute (pairs, pair_zeros, to, first, NULL), "\"stablehlo.scatter\"", "\"stablehlo.gather\"");
  EXPECT (acc_array_sort_by_key (many, FALSE, key_of, NULL), "\"stablehlo.sort\"", "is_stable = true", "UNSIGNED");
  /* Keys that are the elements go alone. */
  EXPECT (acc_array_sort (words, FALSE), "\"stablehlo.sort\"", ": (tensor<5000xui32>) -> (tensor<5000xui32>)");
  EXPECT (acc_array_stencil (x, (gint64[]) { 3 }, 1, clamp, cross, NULL), "stablehlo.concatenate", "[0:1]",
          "stablehlo.optimization_barrier");
  EXPECT (acc_array_fold_all (m, acc_expr_new_float (0), plus, NULL), "tensor<24xf32>");
}

static void
test_products (void)
{
  g_autoptr(AccArray) m = matrix_of ("f4", 30, 40), n = matrix_of ("f4", 40, 50), h = matrix_of ("f2", 40, 40);
  g_autoptr(AccArray) c = matrix_of ("c8", 30, 40), d = matrix_of ("c8", 40, 50), rows = matrix_of ("c8", 8, 64);

  EXPECT (acc_array_matmul (m, n), "stablehlo.dot_general", "HIGHEST", "!reduce", "!multiply");
  EXPECT (acc_array_matmul (c, d), "stablehlo.dot_general", "stablehlo.subtract", "!reduce");
  /* Sums of more bits than the elements have. */
  EXPECT (acc_array_matmul (h, h), "-> tensor<40x40xf32>", "-> tensor<40x40xf16>");
  EXPECT (acc_array_fft (rows, ACC_FFT_FORWARD), "stablehlo.fft", "length = [64]", "complex<f32>", "!negate");
}

/* --- refusals */

static AccArray *
doubled_all (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], doubled, NULL);
}

static void
test_refusals (void)
{
  const char *signatures[] = { "f4[3]", NULL };
  g_autoptr(AccProgram) program = acc_program_new (signatures, doubled_all, NULL);
  g_autoptr(GError) error = NULL;
  guint n;
  AccArray **results = acc_program_get_result_nodes (program, &n);

  g_assert_cmpuint (n, ==, 1);
  g_assert_null (write_module (results[0], &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
}

/* What ends the process of who compiles it. Every module of every test goes through the same check before it leaves the emitter. */
static void
test_fatal (void)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { " %1 = \"stablehlo.map\"(%0) ({\n ^bb0(%2: tensor<f32>):\n", "stablehlo.map of 1 operands" },
    { " %1 = stablehlo.map(%0, %0)", "stablehlo.map of 2 operands" },
    { " %2:2 = \"stablehlo.reduce_window\"(%0, %1, %z, %y) ({\n", "stablehlo.reduce_window of 4 operands" },
    { " %2:2 = \"stablehlo.scatter\"(%0, %1, %i, %u, %v) ({\n", "stablehlo.scatter of 5 operands" },
    { " %2 = \"stablehlo.reduce_window\"(%0, %z) ({\n %9 = \"stablehlo.map\"(%0) ({\n", "stablehlo.map" },
    { " %2 = \"stablehlo.reduce_window\"(%0, %z) ({\n %3 = stablehlo.add %a, %b", NULL },
    { " %2 = \"stablehlo.scatter\"(%0, %i, %u) ({\n }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0]>", NULL },
    { " %2:2 = \"stablehlo.reduce\"(%0, %1, %y, %z) ({\n", NULL },
    { " %2 = stablehlo.convert %1 : (tensor<7xi64>) -> tensor<7xi16>\n %3 = stablehlo.and %2, %0 : tensor<7xi16>\n",
      "stablehlo.and of a narrowed" },
    { " %2 = stablehlo.convert %1 : (tensor<ui64>) -> tensor<ui8>\n %3 = stablehlo.or %0, %2 : tensor<ui8>\n",
      "stablehlo.or of a narrowed" },
    { " %2 = stablehlo.convert %1 : (tensor<7xi64>) -> tensor<7xi16>\n %3 = stablehlo.xor %2, %0 : tensor<7xi16>\n", NULL },
    { " %2 = stablehlo.convert %1 : (tensor<7xi64>) -> tensor<7xi16>\n %3 = stablehlo.add %2, %0 : tensor<7xi16>\n", NULL },
    { " %2 = stablehlo.convert %1 : (tensor<7xi8>) -> tensor<7xi16>\n %3 = stablehlo.and %2, %0 : tensor<7xi16>\n", NULL },
    { " %2 = stablehlo.convert %1 : (tensor<7xf64>) -> tensor<7xf32>\n %3 = stablehlo.and %2, %0 : tensor<7xi1>\n", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_cmpint (acc_hlo_check_text (cases[i].text, &error), ==, cases[i].says == NULL);
      if (cases[i].says == NULL)
        continue;
      g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

/* Whether a line of a module of @array has @operation, and @type. */
static gboolean
has_operation (AccArray            *array,
               const AccHloOptions *options,
               gboolean             is_narrow,
               const char          *operation,
               const char          *type)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccHloModule) module = write_module_for (array, options, is_narrow, &error);
  g_auto(GStrv) lines = NULL;
  gboolean has = FALSE;

  g_assert_no_error (error);
  lines = g_strsplit (module->text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    has |= strstr (lines[i], operation) != NULL && strstr (lines[i], type) != NULL;

  return has;
}

static AccExpr *root (AccExpr *x, gpointer data) { return acc_expr_sqrt (x); }
static AccExpr *ratio (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_fdiv (x, y); }

/* Quotients and roots of f4, where compilers do not round them correctly. */
static void
test_rough (void)
{
  const AccHloOptions fine = { .keeps_order = TRUE }, rough = { .is_rough = TRUE }, fast = { .is_rough = TRUE, .fast_math = TRUE };
  g_autoptr(AccArray) x = vector_of ("f4", 9), y = vector_of ("f4", 9);
  g_autoptr(AccArray) roots = acc_array_map (x, root, NULL), quotients = acc_array_zip_with (x, y, ratio, NULL);

  g_assert_true (has_operation (roots, &rough, FALSE, "stablehlo.sqrt", "f64"));
  g_assert_true (has_operation (quotients, &rough, FALSE, "stablehlo.divide", "f64"));
  g_assert_false (has_operation (roots, &fine, FALSE, "stablehlo.sqrt", "f64"));
  g_assert_false (has_operation (quotients, &fine, FALSE, "stablehlo.divide", "f64"));
  g_assert_false (has_operation (roots, &fast, FALSE, "stablehlo.sqrt", "f64"));
  g_assert_false (has_operation (quotients, &fast, FALSE, "stablehlo.divide", "f64"));
}

/* What is gathered from is computed first, where compilers end the process otherwise. */
static void
test_gathered (void)
{
  const AccHloOptions fine = { .keeps_order = TRUE }, stores = { .stores_gathered = TRUE };
  g_autoptr(AccArray) x = vector_of ("f4", 9), indices = vector_of ("i8", 9), roots = acc_array_map (x, root, NULL);
  g_autoptr(AccArray) gathered = acc_array_gather (roots, indices);

  g_assert_true (has_operation (gathered, &stores, FALSE, "stablehlo.optimization_barrier", "f32"));
  g_assert_false (has_operation (gathered, &fine, FALSE, "stablehlo.optimization_barrier", "f32"));
}

/* A turn of a loop costs the same on devices whatever it computes: blocks are short. */
static void
test_short_blocks (void)
{
  const AccHloOptions host = { .keeps_order = TRUE }, device = { .keeps_order = FALSE };
  g_autoptr(AccArray) x = vector_of ("i4", 65536), scan = acc_array_scanl1 (x, odd, NULL);

  g_assert_true (has_operation (scan, &host, FALSE, "stablehlo.dynamic_update_slice", "tensor<256x256xi32>"));
  g_assert_false (has_operation (scan, &device, FALSE, "stablehlo.dynamic_update_slice", "tensor<256x256xi32>"));
  g_assert_true (has_operation (scan, &device, FALSE, "stablehlo.dynamic_update_slice", "tensor<16x4096xi32>"));
  g_assert_true (has_operation (scan, &device, FALSE, "stablehlo.dynamic_update_slice", "tensor<16x16xi32>"));
}

/* What some compilers refuse, or end the process for, is composed for them. */
static void
test_narrow (void)
{
  const AccHloOptions options = { .keeps_order = FALSE };
  g_autoptr(AccArray) rows = matrix_of ("c8", 8, 64), spectrum = acc_array_fft (rows, ACC_FFT_FORWARD);
  g_autoptr(AccArray) i = matrix_of ("i8", 3, 3), j = matrix_of ("i4", 3, 3);
  g_autoptr(AccArray) wide = acc_array_matmul (i, i), narrow = acc_array_matmul (j, j);

  g_assert_true (has_operation (spectrum, &options, FALSE, "stablehlo.fft", ""));
  g_assert_false (has_operation (spectrum, &options, TRUE, "stablehlo.fft", ""));
  g_assert_true (has_operation (wide, &options, FALSE, "stablehlo.dot_general", ""));
  g_assert_false (has_operation (wide, &options, TRUE, "stablehlo.dot_general", ""));
  g_assert_true (has_operation (narrow, &options, TRUE, "stablehlo.dot_general", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stablehlo/elements", test_elements);
  g_test_add_func ("/stablehlo/flow", test_flow);
  g_test_add_func ("/stablehlo/moves", test_moves);
  g_test_add_func ("/stablehlo/reductions", test_reductions);
  g_test_add_func ("/stablehlo/others", test_others);
  g_test_add_func ("/stablehlo/products", test_products);
  g_test_add_func ("/stablehlo/refusals", test_refusals);
  g_test_add_func ("/stablehlo/fatal", test_fatal);
  g_test_add_func ("/stablehlo/rough", test_rough);
  g_test_add_func ("/stablehlo/gathered", test_gathered);
  g_test_add_func ("/stablehlo/narrow", test_narrow);
  g_test_add_func ("/stablehlo/short-blocks", test_short_blocks);

  return g_test_run ();
}
