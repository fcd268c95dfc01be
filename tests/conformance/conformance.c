/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"
#include "conf-coverage.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGES   20
/* Elements of an argument that may become more. */
#define MAX_TO_ENLARGE 2000

static GPtrArray  *backends;          /* AccBackend */
static AccBackend *interpreter;
static GHashTable *expected_failures; /* backend name to GPtrArray of lines */
static guint       n_messages;
static guint       n_refused;         /* runs, for want of memory */
static guint32     seed;

static gboolean
is_set (const char *variable)
{
  const char *value = g_getenv (variable);

  return value != NULL && *value != '\0' && g_strcmp0 (value, "0") != 0;
}

gboolean
conf_is_thorough (void)
{
  return g_strcmp0 (g_getenv ("ACC_TEST_THOROUGH"), "0") != 0;
}

gboolean
conf_is_exhaustive (void)
{
  return g_strcmp0 (g_getenv ("ACC_TEST_THOROUGH"), "2") == 0;
}

gboolean
conf_checks_are_on (void)
{
  const char *disabled = g_getenv ("ACC_DISABLE");

  return disabled == NULL || strstr (disabled, "checks") == NULL;
}

guint32
conf_seed (void)
{
  return seed;
}

AccBackend *
conf_interpreter (void)
{
  return interpreter;
}

guint
conf_n_backends (void)
{
  return backends->len;
}

AccBackend *
conf_backend (guint n)
{
  return g_ptr_array_index (backends, n);
}

/* ACC_TEST_EXPECTED: a folder with a list for each backend, or one list. What follows a line "[PATTERN]" there holds for backends whose
 * description matches. */
static void
load_expected (const char *name,
               const char *description)
{
  const char *given = g_getenv ("ACC_TEST_EXPECTED");
  gboolean is_list = given != NULL && g_file_test (given, G_FILE_TEST_IS_REGULAR);
  g_autofree char *file = g_strdup_printf ("expected-failures-%s.txt", name);
  g_autofree char *path = given == NULL ? NULL : is_list ? g_strdup (given) : g_build_filename (given, file, NULL);
  g_autofree char *text = NULL;
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);

  if (path != NULL && g_file_get_contents (path, &text, NULL, NULL))
    {
      g_auto(GStrv) parts = g_strsplit (text, "\n", -1);
      gboolean holds = TRUE;

      for (guint i = 0; parts[i] != NULL; i++)
        if (g_str_has_prefix (parts[i], "[") && g_str_has_suffix (parts[i], "]"))
          {
            parts[i][strlen (parts[i]) - 1] = '\0';
            holds = g_pattern_match_simple (parts[i] + 1, description);
          }
        else if (holds && parts[i][0] != '\0' && parts[i][0] != '#')
          g_ptr_array_add (lines, g_strdup (parts[i]));
    }
  g_hash_table_insert (expected_failures, g_strdup (name), lines);
}

void
conf_init (int    *argc,
           char ***argv)
{
  const char *named = g_getenv ("ACC_TEST_BACKENDS");
  const char *given = g_getenv ("ACC_TEST_SEED");
  g_auto(GStrv) names = g_strsplit (named != NULL && *named != '\0' ? named : "native", ",", -1);
  g_autoptr(GError) error = NULL;

  g_test_init (argc, argv, NULL);
  seed = given != NULL && *given != '\0' ? (guint32) strtoul (given, NULL, 0) : 20240229;
  expected_failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  backends = g_ptr_array_new_with_free_func (g_object_unref);
  interpreter = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  for (guint i = 0; names[i] != NULL; i++)
    {
      AccBackend *backend = acc_backend_new_for_name (names[i], &error);

      if (backend == NULL && (named == NULL || *named == '\0'))
        {
          g_printerr ("# backend “%s” is absent, only the interpreter is tested: %s\n", names[i], error->message);
          g_clear_error (&error);
          continue;
        }
      if (backend == NULL && is_set ("ACC_TEST_OPTIONAL") && !is_set ("ACC_TEST_REQUIRE"))
        {
          g_print ("1..0 # SKIP %s\n", error->message);
          exit (0);
        }
      if (backend == NULL)
        {
          g_printerr ("backend “%s” is named in ACC_TEST_BACKENDS and absent: %s\n", names[i], error->message);
          exit (1);
        }
      g_ptr_array_add (backends, backend);
      load_expected (acc_backend_get_name (backend), acc_backend_get_description (backend));
    }
  conf_coverage_begin ();
}

int
conf_run (void)
{
  int status = g_test_run ();

  if (is_set ("ACC_TEST_TIGHT") && backends->len > 0 && n_refused == 0)
    {
      g_printerr ("next to no memory was enough for everything\n");
      status = 1;
    }
  conf_coverage_end ();
  g_clear_pointer (&backends, g_ptr_array_unref);
  g_clear_object (&interpreter);
  g_clear_pointer (&expected_failures, g_hash_table_unref);
  return status;
}

/* --- reporting */

static const char *
find_expected (const char *backend,
               const char *name)
{
  GPtrArray *lines = g_hash_table_lookup (expected_failures, backend);

  for (guint i = 0; lines != NULL && i < lines->len; i++)
    {
      const char *line = g_ptr_array_index (lines, i);
      const char *colon = strstr (line, ": ");
      g_autofree char *pattern = colon != NULL ? g_strndup (line, colon - line) : g_strdup (line);

      if (g_pattern_match_simple (pattern, name))
        return colon != NULL ? colon + 2 : "";
    }
  return NULL;
}

void
conf_fail (const char *backend,
           const char *name,
           const char *format,
           ...)
{
  const char *reason = find_expected (backend, name);
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  conf_coverage_count (backend, FALSE);
  if (reason != NULL)
    {
      g_test_message ("expected: %s: %s: %s (%s)", backend, name, message, reason);
      return;
    }
  if (n_messages++ < MAX_MESSAGES)
    g_test_message ("%s: %s: %s", backend, name, message);
  else if (n_messages == MAX_MESSAGES + 1)
    g_test_message ("and more");
  g_test_fail ();
}

void
conf_pass (const char *backend,
           const char *name)
{
  const char *reason = find_expected (backend, name);

  conf_coverage_count (backend, TRUE);
  if (reason == NULL)
    return;
  g_test_message ("%s: %s passes, but is listed as an expected failure (%s)", backend, name, reason);
  g_test_fail ();
}

/* "map “x”" of "map “x”: index …": what an error must name, whoever reports it. */
static gboolean
names_same_node (const char *expected,
                 const char *actual)
{
  const char *colon = strstr (expected, ": ");
  g_autofree char *where = colon != NULL ? g_strndup (expected, colon - expected) : g_strdup (expected);

  return strstr (actual, where) != NULL;
}

static void
judge (const char    *backend,
       const char    *name,
       GPtrArray     *expected,
       const GError  *expected_error,
       GPtrArray     *actual,
       const GError  *actual_error,
       ConfTolerance  tolerance)
{
  if (expected == NULL || actual == NULL)
    {
      if (expected == NULL && actual == NULL && g_error_matches (actual_error, expected_error->domain, expected_error->code) &&
          names_same_node (expected_error->message, actual_error->message))
        conf_pass (backend, name);
      else
        conf_fail (backend, name, "%s “%s” instead of %s “%s”",
                   actual_error != NULL ? "error" : "results", actual_error != NULL ? actual_error->message : "",
                   expected_error != NULL ? "error" : "results", expected_error != NULL ? expected_error->message : "");
      return;
    }

  for (guint i = 0; i < expected->len; i++)
    {
      g_autofree char *difference = conf_compare (g_ptr_array_index (expected, i), g_ptr_array_index (actual, i), tolerance);

      if (difference != NULL)
        {
          conf_fail (backend, name, "result %u: %s", i, difference);
          return;
        }
    }
  conf_pass (backend, name);
}

/* --- parts */

/* ACC_TEST_PART=2/8: the third of eight parts. */
static gboolean
is_of_part (guint hash)
{
  const char *part = g_getenv ("ACC_TEST_PART");
  char *end = NULL;
  guint which = part != NULL ? (guint) strtoul (part, &end, 10) : 0;
  guint of = end != NULL && *end == '/' ? (guint) strtoul (end + 1, NULL, 10) : 1;

  /* The lower bits are those of the last letters. */
  return (hash * 2654435761u >> 16) % MAX (of, 1) == which;
}

/* Where a device takes long for each case, one of ACC_TEST_EVERY is enough: which of them, its name decides. */
gboolean
conf_is_left_out (const char *name)
{
  const char *every = g_getenv ("ACC_TEST_EVERY");
  guint n = every != NULL ? (guint) strtoul (every, NULL, 10) : 1;
  guint hash = g_str_hash (name);

  return (n > 1 && hash % n != 0) || !is_of_part (hash);
}

/* --- programs */

struct _ConfProgram {
  char           *name;
  AccProgram     *program;
  AccExecutable  *judge;
  AccExecutable **judged;    /* one per backend; NULL where it did not compile */
};

/* The bytes of a variant, as they would come from elsewhere. */
static AccProgram *
read_variant (AccProgram  *program,
              GError     **error)
{
  g_autoptr(GVariant) variant = g_variant_ref_sink (acc_program_to_variant (program));
  g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes (variant);
  g_autoptr(GVariant) read = g_variant_ref_sink (g_variant_new_from_bytes (g_variant_get_type (variant), bytes, FALSE));

  return acc_program_new_from_variant (read, error);
}

/* What is left of the program on its way through another form; @program itself where none is asked for. */
static AccProgram *
through_form (AccProgram *program,
              const char *name)
{
  g_autofree char *text = NULL;
  g_autofree char *again = NULL;
  g_autoptr(GError) error = NULL;
  AccProgram *parsed;

  if (!is_set ("ACC_TEST_TEXT") && !is_set ("ACC_TEST_VARIANT"))
    return g_object_ref (program);

  text = acc_program_to_string (program);
  parsed = is_set ("ACC_TEST_TEXT") ? acc_program_parse (text, &error) : read_variant (program, &error);
  if (parsed == NULL)
    {
      conf_fail ("text", name, "%s in:\n%s", error->message, text);
      return g_object_ref (program);
    }
  again = acc_program_to_string (parsed);
  if (g_strcmp0 (text, again) != 0)
    conf_fail ("text", name, "printed again it differs:\n%s\n%s", text, again);
  return parsed;
}

ConfProgram *
conf_program_new (const char *name,
                  AccProgram *program)
{
  ConfProgram *self = g_new0 (ConfProgram, 1);
  g_autoptr(AccProgram) judged = NULL;
  g_autoptr(GError) error = NULL;

  self->name = g_strdup (name);
  self->program = program;
  self->judged = g_new0 (AccExecutable *, MAX (backends->len, 1));
  if (conf_is_left_out (name))
    return self;

  judged = through_form (program, name);
  self->judge = acc_backend_compile (interpreter, program, NULL, &error);
  if (self->judge == NULL)
    {
      conf_fail ("interpreter", name, "%s", error->message);
      return self;
    }
  for (guint i = 0; i < backends->len; i++)
    {
      g_clear_error (&error);
      self->judged[i] = acc_backend_compile (conf_backend (i), judged, NULL, &error);
      if (self->judged[i] == NULL)
        conf_fail (acc_backend_get_name (conf_backend (i)), name, "%s", error->message);
    }
  return self;
}

void
conf_program_free (ConfProgram *self)
{
  for (guint i = 0; i < backends->len; i++)
    g_clear_object (&self->judged[i]);
  g_free (self->judged);
  g_clear_object (&self->judge);
  g_clear_object (&self->program);
  g_free (self->name);
  g_free (self);
}

static void
keep_result (GObject      *source,
             GAsyncResult *result,
             gpointer      user_data)
{
  *(GAsyncResult **) user_data = g_object_ref (result);
}

/* Of the same type and extents, all zeros. */
static AccArray *
make_zeros (AccArray *array)
{
  AccElementType *type = acc_array_get_element_type (array);
  AccShape *shape = acc_array_get_shape (array);
  gsize size = (gsize) acc_shape_get_size (shape) * acc_element_type_get_size (type);
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (MAX (size, 1)), size);

  return acc_array_use (type, shape, bytes);
}

/* As a graph of its own. */
static GPtrArray *
run_graph (AccExecutable  *executable,
           AccArray      **arguments,
           guint           n_arguments,
           GError        **error)
{
  g_autoptr(GPtrArray) graph = acc_program_apply (acc_executable_get_program (executable), arguments, n_arguments, error);

  return graph != NULL ? acc_backend_run_many (acc_executable_get_backend (executable), (AccArray **) graph->pdata, graph->len, NULL, error)
                       : NULL;
}

/* Where equal graphs of other numbers ran before. */
static void
run_others (AccExecutable  *executable,
            AccArray      **arguments,
            guint           n_arguments)
{
  g_autoptr(GPtrArray) zeros = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n_arguments; i++)
    g_ptr_array_add (zeros, make_zeros (arguments[i]));
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr(GPtrArray) values = run_graph (executable, (AccArray **) zeros->pdata, n_arguments, NULL);
    }
}

/* Programs that read sources stream: they run as graphs. */
static GPtrArray *
run_compiled (AccExecutable  *executable,
              AccArray      **arguments,
              guint           n_arguments,
              GError        **error)
{
  GError *local = NULL;
  GPtrArray *values = acc_executable_run (executable, arguments, n_arguments, NULL, &local);

  if (g_error_matches (local, ACC_ERROR, ACC_ERROR_STREAM))
    {
      g_error_free (local);
      return run_graph (executable, arguments, n_arguments, error);
    }
  if (local != NULL)
    g_propagate_error (error, local);

  return values;
}

static GPtrArray *
run (AccExecutable  *executable,
     AccArray      **arguments,
     guint           n_arguments,
     GError        **error)
{
  g_autoptr(GAsyncResult) result = NULL;

  if (is_set ("ACC_TEST_REUSE"))
    {
      run_others (executable, arguments, n_arguments);
      return run_graph (executable, arguments, n_arguments, error);
    }
  if (!is_set ("ACC_TEST_ASYNC"))
    return run_compiled (executable, arguments, n_arguments, error);

  acc_executable_run_async (executable, arguments, n_arguments, NULL, keep_result, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  return acc_executable_run_finish (executable, result, error);
}

/* Limits in bytes that runs are tried with first. */
static const guint64 little[] = { 1, 512, 4096, 65536 };

static guint
count_limits (void)
{
  return is_set ("ACC_TEST_TIGHT") ? G_N_ELEMENTS (little) : 0;
}

/* What is refused for want of memory tells how much was asked for, and how much there is; all else must be as it always is. */
static gboolean
is_refused (AccBackend   *backend,
            const char   *name,
            const GError *error)
{
  if (!g_error_matches (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
    return FALSE;
  if (strstr (error->message, " needs ") == NULL
      || (strstr (error->message, "held: ") == NULL && strstr (error->message, " allows ") == NULL
          && strstr (error->message, " are free") == NULL))
    conf_fail (acc_backend_get_name (backend), name, "refused with “%s”", error->message);
  n_refused++;
  return TRUE;
}

static void
check (ConfProgram    *self,
       AccArray      **arguments,
       guint           n_arguments,
       ConfTolerance   tolerance)
{
  g_autoptr(GError) expected_error = NULL;
  g_autoptr(GPtrArray) expected = run_compiled (self->judge, arguments, n_arguments, &expected_error);

  for (guint i = 0; i < backends->len; i++)
    for (guint k = 0; k <= count_limits () && self->judged[i] != NULL; k++)
      {
        AccBackend *backend = conf_backend (i);
        guint64 limit = acc_backend_get_memory_limit (backend);
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) actual = NULL;

        if (k < count_limits ())
          acc_backend_set_memory_limit (backend, little[k]);
        actual = run (self->judged[i], arguments, n_arguments, &error);
        acc_backend_set_memory_limit (backend, limit);
        if (k == count_limits () || !is_refused (backend, self->name, error))
          judge (acc_backend_get_name (backend), self->name, expected, expected_error, actual, error, tolerance);
      }
}

/* Half of @array in every dimension, or, where it is small, twice as much. */
static AccArray *
with_other_extents (AccArray *array,
                    gboolean  larger)
{
  g_autoptr(AccArray) changed = g_object_ref (array);
  g_autoptr(GError) error = NULL;
  AccArray *result;

  for (guint d = 0; d < array->rank; d++)
    {
      g_autoptr(AccArray) before = g_steal_pointer (&changed);

      if (!larger)
        changed = acc_array_take_on (before, d, conf_i64 (acc_shape_get_extent (array->shape, d) / 2));
      else if (acc_shape_get_size (array->shape) < MAX_TO_ENLARGE)
        changed = acc_array_concat_on (before, before, d);
      else
        changed = g_object_ref (before);
    }
  result = acc_backend_run (interpreter, changed, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static void
check_with_other_extents (ConfProgram    *self,
                          AccArray      **arguments,
                          guint           n_arguments,
                          gboolean        larger,
                          ConfTolerance   tolerance)
{
  g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n_arguments; i++)
    g_ptr_array_add (others, with_other_extents (arguments[i], larger));
  check (self, (AccArray **) others->pdata, n_arguments, tolerance);
}

void
conf_program_check (ConfProgram    *self,
                    AccArray      **arguments,
                    guint           n_arguments,
                    ConfTolerance   tolerance)
{
  gboolean again = is_set ("ACC_TEST_AGAIN") && n_arguments > 0;

  if (self->judge != NULL && again)
    check_with_other_extents (self, arguments, n_arguments, TRUE, tolerance);
  if (self->judge != NULL)
    check (self, arguments, n_arguments, tolerance);
  if (self->judge != NULL && again)
    {
      check_with_other_extents (self, arguments, n_arguments, FALSE, tolerance);
      check (self, arguments, n_arguments, tolerance);
    }
  for (guint i = 0; i < n_arguments; i++)
    g_object_unref (arguments[i]);
}

/* --- single arrays */

void
conf_check_array (const char    *name,
                  AccArray      *array,
                  ConfTolerance  tolerance)
{
  g_autoptr(AccProgram) program = acc_program_new_for_results (&array, 1);
  g_autoptr(ConfProgram) checked = NULL;
  g_autoptr(GError) error = NULL;

  if (!acc_program_check (program, &error))
    conf_fail ("interpreter", name, "%s", error->message);
  else
    {
      checked = conf_program_new (name, g_steal_pointer (&program));
      conf_program_check (checked, NULL, 0, tolerance);
    }
  g_object_unref (array);
}

void
conf_expect_array (const char *name,
                   AccArray   *array,
                   AccArray   *wanted)
{
  g_autoptr(AccArray) owned = wanted;
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) expected = acc_backend_run (interpreter, wanted, NULL, &error);
  g_autoptr(AccArray) given = error == NULL ? acc_backend_run (interpreter, array, NULL, &error) : NULL;
  g_autofree char *difference = NULL;

  g_assert_no_error (error);
  difference = conf_compare (expected, given, CONF_EXACT);
  if (difference != NULL)
    conf_fail ("interpreter", name, "%s", difference);
  conf_check_array (name, array, CONF_EXACT);
}

void
conf_run_everywhere (const char     *name,
                     AccArray       *array,
                     ConfResultFunc  function,
                     gpointer        data)
{
  for (guint i = 0; i <= (conf_is_left_out (name) ? 0 : backends->len); i++)
    for (guint k = 0; k <= count_limits (); k++)
      {
        AccBackend *backend = i == 0 ? interpreter : conf_backend (i - 1);
        guint64 limit = acc_backend_get_memory_limit (backend);
        g_autoptr(GError) error = NULL;
        g_autoptr(AccArray) result = NULL;

        if (k < count_limits ())
          acc_backend_set_memory_limit (backend, little[k]);
        result = acc_backend_run (backend, array, NULL, &error);
        acc_backend_set_memory_limit (backend, limit);
        if (k == count_limits () || !is_refused (backend, name, error))
          function (acc_backend_get_name (backend), name, result, error, data);
      }
  g_object_unref (array);
}

typedef struct {
  const char   *shape;
  guint         leaf;
  guint         n;
  const gint64 *integers;
  const double *reals;
} Expectation;

static void
compare_expectation (const char   *backend,
                     const char   *name,
                     AccArray     *result,
                     const GError *error,
                     gpointer      data)
{
  const Expectation *wanted = data;
  g_autofree char *shape = NULL;
  const AccLeafPlace *place;
  const gint64 *wide = NULL;

  if (result == NULL)
    {
      conf_fail (backend, name, "%s", error->message);
      return;
    }
  shape = acc_shape_to_string (result->shape);
  if (g_strcmp0 (shape, wanted->shape) != 0)
    {
      conf_fail (backend, name, "shape %s instead of %s", shape, wanted->shape);
      return;
    }
  place = acc_element_type_locate (result->type, wanted->leaf);
  if (acc_element_type_get_leaf (result->type, wanted->leaf) == ACC_KIND_U64)
    wide = acc_buffer_map (acc_array_get_buffers (result)[place->buffer], NULL);
  for (guint i = 0; i < wanted->n && i < acc_shape_get_size (result->shape); i++)
    {
      double real = acc_array_get_double (result, wanted->leaf, i);
      gint64 integer = wide != NULL ? wide[i * place->lanes + place->lane] : acc_array_get_int (result, wanted->leaf, i);

      if (wanted->integers != NULL && integer != wanted->integers[i])
        {
          conf_fail (backend, name, "element %u is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, i, integer, wanted->integers[i]);
          return;
        }
      if (wanted->reals != NULL && memcmp (&real, &wanted->reals[i], sizeof real) != 0 &&
          !(real != real && wanted->reals[i] != wanted->reals[i]))
        {
          conf_fail (backend, name, "element %u is %.17g, not %.17g", i, real, wanted->reals[i]);
          return;
        }
    }
  conf_pass (backend, name);
}

void
conf_expect_ints (const char   *name,
                  AccArray     *array,
                  const char   *shape,
                  guint         leaf,
                  guint         n,
                  const gint64 *values)
{
  conf_run_everywhere (name, array, compare_expectation, &(Expectation) { shape, leaf, n, values, NULL });
}

void
conf_expect_floats (const char   *name,
                    AccArray     *array,
                    const char   *shape,
                    guint         leaf,
                    guint         n,
                    const double *values)
{
  conf_run_everywhere (name, array, compare_expectation, &(Expectation) { shape, leaf, n, NULL, values });
}

typedef struct {
  AccError            code;
  const char * const *parts;
} ErrorExpectation;

static void
compare_error (const char   *backend,
               const char   *name,
               AccArray     *result,
               const GError *error,
               gpointer      data)
{
  const ErrorExpectation *wanted = data;

  if (result != NULL)
    {
      conf_fail (backend, name, "no error");
      return;
    }
  if (!g_error_matches (error, ACC_ERROR, wanted->code))
    {
      conf_fail (backend, name, "error %s %d, not %d: %s", g_quark_to_string (error->domain), error->code, wanted->code, error->message);
      return;
    }
  for (guint i = 0; wanted->parts[i] != NULL; i++)
    if (strstr (error->message, wanted->parts[i]) == NULL)
      {
        conf_fail (backend, name, "“%s” does not name “%s”", error->message, wanted->parts[i]);
        return;
      }
  conf_pass (backend, name);
}

void
conf_expect_error (const char         *name,
                   AccArray           *array,
                   AccError            code,
                   const char * const *parts)
{
  conf_run_everywhere (name, array, compare_error, &(ErrorExpectation) { code, parts });
}
