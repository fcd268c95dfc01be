/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random functions of arrays, mapped over random nested arrays, against the function on each element by itself. Every case has a seed of
 * its own, printed where it fails: ACC_TEST_SEED=that ACC_TEST_CASES=1 runs it again. */

#include "conf-random.h"

#include <stdlib.h>
#include <string.h>

#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-numbering-private.h"
#include "acc-seq/nested/acc-nested-array-private.h"

#define MOST_INPUTS 2

typedef enum {
  IRREGULAR,
  REGULAR,
  MIXED,       /* of two the second one is constant, or regular; a single one is constant */
  KNOWN,       /* regular, of extents that are known before it runs */
  N_FORMS
} Form;

static const char *const form_names[] = { "irregular", "regular", "mixed", "known" };

typedef struct {
  guint32         seed;
  guint           step;
  Form            form;
  char           *name;
  GRand          *rand;
  guint           n;                       /* inputs */
  AccElementType *types[MOST_INPUTS];
  guint           ranks[MOST_INPUTS];
  Form            forms[MOST_INPUTS];      /* MIXED: constant */
  gint64          known[MOST_INPUTS][4];   /* KNOWN: extents of all */
  AccProgram     *function, *mapped;
  AccExecutable  *judge, *judged;
  guint           rank;                    /* of results */
} Case;

/* How often an operation was lifted for elements of that form; a choice of which elements was lifted. */
static guint n_lifted[ACC_N_OPERATIONS][3];
static guint n_failed[16];

static AccArray *
call (AccArray **arrays, guint n, gpointer data)
{
  const Case *self = data;

  return conf_random_function (arrays, n, self->seed, self->step);
}

/* The same of one element, whose number is the last argument: random numbers are those of the element. */
static AccArray *
call_numbered (AccArray **arrays, guint n, gpointer data)
{
  G_GNUC_UNUSED g_auto(AccNumbering) numbering = acc_numbering_begin (arrays[n - 1]);

  return call (arrays, n - 1, data);
}

static AccArray *
captured (AccArray **arrays, guint n, gpointer array)
{
  return g_object_ref (array);
}

/* --- a case: the function as a program, and the same mapped, of parameters */

static AccElementType *
index_type (guint rank)
{
  AccElementType *items[4];

  for (guint i = 0; i < rank; i++)
    items[i] = conf_type ("i8");
  return rank == 1 ? items[0] : acc_element_type_new_tuple (items, rank);
}

static AccArray *
add_parameter (GPtrArray *parameters, AccElementType *type, guint rank, const gint64 *extents)
{
  AccArray *parameter = acc_array_new_parameter (type, rank, extents, parameters->len);

  g_ptr_array_add (parameters, parameter);
  return parameter;
}

typedef enum {
  NOTHING,     /* no elements */
  ONE,
  SMALL,       /* some of them empty */
  SKEWED,      /* very small ones, and a large one */
  N_SIZES
} Size;

static const guint n_elements[] = { 0, 1, 6, 3 };

static void
draw_extents (Case *self, Size size, guint k, guint rank, gint64 *extents)
{
  static const gint64 large[][3] = { { 10000 }, { 100, 60 }, { 17, 20, 18 } };

  for (guint d = 0; d < rank; d++)
    extents[d] = size == SKEWED ? (k == 1 ? large[rank - 1][d] : 1)
                                : g_rand_int_range (self->rand, 0, 6) == 0 ? 0 : g_rand_int_range (self->rand, 1, 6);
}

static void
draw_inputs (Case *self)
{
  ConfRandom c = { .rand = self->rand };

  self->n = 1 + conf_pick (&c, MOST_INPUTS);
  for (guint i = 0; i < self->n; i++)
    {
      AccElementType *items[2] = { conf_any_item (&c), conf_any_item (&c) };

      self->types[i] = conf_pick (&c, 4) == 0 ? acc_element_type_new_tuple (items, 2) : items[0];
      self->ranks[i] = conf_pick (&c, 5) == 0 ? 0 : 1 + conf_pick (&c, 3);
      self->forms[i] = self->form;
      if (self->form == MIXED && self->n > 1)
        self->forms[i] = i == 0 ? (conf_pick (&c, 3) > 0 ? IRREGULAR : REGULAR) : conf_pick (&c, 3) > 0 ? MIXED : REGULAR;
      if (self->form == KNOWN || (self->ranks[i] == 0 && self->forms[i] == IRREGULAR))
        self->forms[i] = REGULAR;
      self->known[i][0] = n_elements[SMALL];
      draw_extents (self, SMALL, 0, self->ranks[i], self->known[i] + 1);
    }
}

static AccNestedArray *
new_input (Case *self, guint i, GPtrArray *parameters, AccNestedArray *first)
{
  g_autoptr(AccNestedArray) others = NULL;

  if (self->forms[i] == IRREGULAR)
    {
      AccArray *values = add_parameter (parameters, self->types[i], 1, NULL);

      return acc_nested_array_new_from_extents (values, add_parameter (parameters, index_type (self->ranks[i]), 1, NULL));
    }
  if (self->forms[i] == REGULAR)
    return acc_nested_array_new_from_regular (add_parameter (parameters, self->types[i], self->ranks[i] + 1,
                                                             self->form == KNOWN ? self->known[i] : NULL));

  /* Constants are of as many elements as others. */
  others = first != NULL ? g_object_ref (first) : acc_nested_array_new_from_regular (add_parameter (parameters, conf_type ("u1"), 1, NULL));

  return acc_nested_array_map (others, captured, add_parameter (parameters, self->types[i], self->ranks[i], NULL));
}

static gboolean
is_irregular (AccLifted *lifted)
{
  return lifted != NULL && lifted->form == ACC_LIFTED_IRREGULAR;
}

static gboolean
is_constant (AccLifted *lifted)
{
  return lifted != NULL && lifted->form == ACC_LIFTED_CONSTANT;
}

/* Which operations are lifted for which elements, by what they give and take. What nothing depends on the element of, and what is made of
 * others for backends that have no operation for it, counts as for the elements of the case. Among the mixed are those with something
 * constant. */
static void
count_lifted (Case *self, AccNestedArray **inputs)
{
  g_autoptr(AccLift) lift = acc_lift_new (acc_nested_array_get_count (inputs[0]));
  guint n;
  AccArray **nodes = acc_program_get_parameter_nodes (self->function, &n), *dependence;
  g_autoptr(GPtrArray) all = NULL;

  for (guint i = 0; i < self->n; i++)
    acc_lift_bind (lift, nodes[i], acc_lifted_ref (acc_nested_array_get_lifted (inputs[i])));
  if (n > self->n)
    acc_lift_bind (lift, nodes[self->n], acc_lifted_new_regular (g_object_ref (lift->index)));
  nodes = acc_program_get_result_nodes (self->function, &n);
  acc_lift_array (lift, nodes[0]);
  all = acc_array_sort_nodes (nodes, 1);
  for (guint i = 0; i < all->len; i++)
    {
      AccArray *node = g_ptr_array_index (all, i);
      AccLifted *lifted = acc_lift_get (lift, node);
      gboolean irregular = is_irregular (lifted), constant = self->form == MIXED && is_constant (lifted);

      /* A choice that nobody needed, in a side of another. */
      if (lifted == NULL)
        continue;
      for (guint k = 0; (dependence = acc_array_nth_dependence (node, k)) != NULL; k++)
        {
          irregular |= is_irregular (acc_lift_get (lift, dependence));
          constant |= self->form == MIXED && is_constant (acc_lift_get (lift, dependence));
        }
      if (constant || (self->form == MIXED && acc_operation_get_family (node->op) == ACC_FAMILY_LEAF))
        n_lifted[node->op][MIXED]++;
      if (node->direct != NULL && self->form == MIXED)
        n_lifted[node->direct->op][MIXED]++;
      if (acc_operation_get_family (node->op) == ACC_FAMILY_LEAF)
        n_lifted[node->op][self->form == IRREGULAR ? IRREGULAR : REGULAR]++;
      else if (lifted->form != ACC_LIFTED_CONSTANT)
        n_lifted[node->op][irregular ? IRREGULAR : REGULAR]++;
      if (node->direct != NULL && lifted->form != ACC_LIFTED_CONSTANT)
        n_lifted[node->direct->op][self->form == IRREGULAR ? IRREGULAR : REGULAR]++;
    }
}

/* FALSE where it fails whatever the element. */
static gboolean
make_function (Case *self)
{
  static const char *const extents[] = { "", ":", ":,:", ":,:,:" };
  g_auto(GStrv) all = g_new0 (char *, MOST_INPUTS + 2);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < self->n; i++)
    all[i] = g_strdup_printf ("%s[%s]", acc_element_type_get_code (self->types[i]), extents[self->ranks[i]]);
  all[self->n] = g_strdup ("i8");
  self->function = acc_program_new ((const char *const *) all, call_numbered, self);
  if (!acc_program_check (self->function, &error))
    {
      if (conf_get_failure (self->step) == NULL)
        g_error ("%s: %s", self->name, error->message);
      return FALSE;
    }
  self->rank = acc_array_get_rank (acc_program_get_result (self->function, 0));

  return TRUE;
}

/* FALSE with @error set where it cannot be built. */
static gboolean
make_mapped (Case *self, GError **error)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref);
  AccNestedArray *inputs[MOST_INPUTS] = { NULL };
  g_autoptr(AccNestedArray) mapped = NULL;
  g_autoptr(AccArray) values = NULL;
  gboolean sound;

  for (guint i = 0; i < self->n; i++)
    inputs[i] = new_input (self, i, parameters, inputs[0]);
  mapped = acc_nested_array_zip_with_many (inputs, self->n, call, self);
  sound = acc_nested_array_check (mapped, error);
  if (sound)
    {
      values = acc_nested_array_flatten (mapped);
      self->mapped = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len,
                                                (AccArray *[]) { values, acc_nested_array_get_extents (mapped) }, 2);
      count_lifted (self, inputs);
    }
  for (guint i = 0; i < self->n; i++)
    g_object_unref (inputs[i]);

  return sound;
}

static void
case_clear (Case *self)
{
  g_clear_object (&self->judge);
  g_clear_object (&self->judged);
  g_clear_object (&self->function);
  g_clear_object (&self->mapped);
  g_clear_pointer (&self->rand, g_rand_free);
  g_clear_pointer (&self->name, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* --- data */

static AccArray *
use_extents (const gint64 *extents, guint n, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint d = 0; d < rank; d++)
    {
      gint64 *column = g_new (gint64, n + 1);

      for (guint k = 0; k < n; k++)
        column[k] = extents[k * rank + d];
      g_ptr_array_add (buffers, g_bytes_new_take (column, n * sizeof *column));
    }
  return acc_array_use_buffers (index_type (rank), shape, (GBytes **) buffers->pdata, rank);
}

/* Arguments of the mapped program for input @i, and the nested array that they stand for. */
static AccNestedArray *
draw_input (Case *self, guint i, Size size, GPtrArray *arguments)
{
  guint n = n_elements[size], rank = self->ranks[i];
  gint64 extents[4 * 6] = { 0 }, total = 0;
  AccArray *values;

  if (self->forms[i] == IRREGULAR)
    {
      for (guint k = 0; k < n; k++)
        {
          gint64 product = 1;

          draw_extents (self, size, k, rank, extents + k * rank);
          for (guint d = 0; d < rank; d++)
            product *= extents[k * rank + d];
          total += product;
        }
      values = conf_array (self->types[i], &total, 1, self->rand, CONF_FULL);
      g_ptr_array_add (arguments, values);
      g_ptr_array_add (arguments, use_extents (extents, n, rank));
      return acc_nested_array_new_from_extents (values, g_ptr_array_index (arguments, arguments->len - 1));
    }

  extents[0] = n;
  if (self->forms[i] == MIXED && i == 0)
    g_ptr_array_add (arguments, conf_array (conf_type ("u1"), extents, 1, self->rand, CONF_SMALL));
  draw_extents (self, size == SKEWED ? SMALL : size, 0, rank, extents + 1);
  if (self->form == KNOWN)
    memcpy (extents, self->known[i], sizeof self->known[i]);
  values = conf_array (self->types[i], self->forms[i] == REGULAR ? extents : extents + 1, self->forms[i] == REGULAR ? rank + 1 : rank,
                       self->rand, CONF_FULL);
  g_ptr_array_add (arguments, values);
  return self->forms[i] == REGULAR ? acc_nested_array_new_from_regular (values) : NULL;
}

/* --- comparison */

static void
fail (Case *self, Size size, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
fail (Case *self, Size size, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("%s, size %u: %s", self->name, size, message);
  if (g_test_verbose ())
    {
      g_autofree char *text = acc_program_to_string (self->function);

      g_test_message ("%s", text);
    }
  g_test_fail ();
}

static AccExecutable *
compile (Case *self, AccBackend *backend, AccProgram *program)
{
  g_autoptr(GError) error = NULL;
  AccExecutable *executable = acc_backend_compile (backend, program, NULL, &error);

  if (executable == NULL)
    fail (self, 0, "%s", error->message);
  return executable;
}

static const ConfTolerance tolerance = { .zeros_equal = TRUE };

/* Result @k of the function by itself. */
static GPtrArray *
run_one (Case *self, AccNestedArray **inputs, GPtrArray *arguments, guint k, GError **error)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->n; i++)
    {
      g_autoptr(AccArray) element = inputs[i] != NULL ? acc_nested_array_dup_element (inputs[i], k)
                                                      : g_object_ref (g_ptr_array_index (arguments, arguments->len - 1));
      AccArray *computed = acc_backend_run (conf_interpreter (), element, NULL, error);

      g_assert_nonnull (computed);
      g_ptr_array_add (elements, computed);
    }
  g_ptr_array_add (elements, conf_ints ("i8", NULL, 0, &(gint64) { k }));
  return acc_executable_run (self->judge, (AccArray **) elements->pdata, elements->len, NULL, error);
}

static void
compare (Case *self, Size size, GPtrArray *wanted, GPtrArray *got)
{
  AccArray *values = g_ptr_array_index (got, 0), *extents = g_ptr_array_index (got, 1);
  gint64 begin = 0, total = acc_shape_get_size (acc_array_get_shape (values));

  if (acc_shape_get_size (acc_array_get_shape (extents)) != wanted->len)
    {
      fail (self, size, "%d elements", (int) acc_shape_get_size (acc_array_get_shape (extents)));
      return;
    }
  for (guint k = 0; k < wanted->len; k++)
    {
      AccArray *one = g_ptr_array_index (wanted, k);
      AccShape *shape = acc_array_get_shape (one);
      g_autoptr(AccArray) part = NULL;
      g_autofree char *difference = NULL;

      for (guint d = 0; d < self->rank; d++)
        if (acc_array_get_int (extents, d, k) != acc_shape_get_extent (shape, d))
          {
            fail (self, size, "element %u: extent %u is %d, not %d", k, d, (int) acc_array_get_int (extents, d, k),
                  (int) acc_shape_get_extent (shape, d));
            return;
          }
      if (begin + acc_shape_get_size (shape) > total)
        {
          fail (self, size, "element %u: too few values", k);
          return;
        }
      part = conf_cut (values, begin, shape);
      difference = conf_compare (one, part, tolerance);
      if (difference != NULL)
        {
          fail (self, size, "element %u: %s", k, difference);
          return;
        }
      begin += acc_shape_get_size (shape);
    }
  if (begin != total)
    fail (self, size, "%d values more", (int) (total - begin));
}

/* Whether the function fails with @error for elements of those extents. */
static gboolean
fails_by_extents (Case *self, const gint64 *const *extents, const GError *error)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new_with_free_func (g_object_unref), results = NULL;
  g_autoptr(GError) other = NULL;

  for (guint i = 0; i < self->n; i++)
    g_ptr_array_add (elements, conf_array (self->types[i], extents[i] + 1, self->ranks[i], self->rand, CONF_FULL));
  g_ptr_array_add (elements, conf_ints ("i8", NULL, 0, &(gint64) { 0 }));
  results = acc_executable_run (self->judge, (AccArray **) elements->pdata, elements->len, NULL, &other);

  return results == NULL && g_error_matches (error, other->domain, other->code);
}

static void
run (Case *self, Size size)
{
  g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func (g_object_unref), got = NULL;
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
  AccNestedArray *inputs[MOST_INPUTS] = { NULL };
  g_autoptr(GError) error = NULL, other = NULL;
  const char *failure = conf_get_failure (self->step);

  for (guint i = 0; i < self->n; i++)
    inputs[i] = draw_input (self, i, size, arguments);
  for (guint k = 0; k < n_elements[size] && error == NULL; k++)
    {
      g_autoptr(GPtrArray) one = run_one (self, inputs, arguments, k, &error);

      if (one != NULL)
        g_ptr_array_add (wanted, g_object_ref (g_ptr_array_index (one, 0)));
    }
  got = acc_executable_run (self->judged, (AccArray **) arguments->pdata, arguments->len, NULL, &other);

  if (error != NULL && failure == NULL)
    fail (self, size, "the function by itself fails: %s", error->message);
  else if (error != NULL && other == NULL)
    fail (self, size, "no failure of %s: %s", failure, error->message);
  else if (error != NULL && !g_error_matches (other, error->domain, error->code))
    fail (self, size, "%s, not %s", other->message, error->message);
  /* Extents that are the same for all are wrong even where there are none. */
  else if (error == NULL && other != NULL && (n_elements[size] > 0 || failure == NULL))
    fail (self, size, "%s", other->message);
  else if (error == NULL && other == NULL)
    compare (self, size, wanted, got);
  else if (error != NULL)
    n_failed[self->step - conf_n_steps ()]++;

  for (guint i = 0; i < self->n; i++)
    g_clear_object (&inputs[i]);
}

static void
check (guint number, Form form)
{
  guint n_steps = conf_n_steps () + conf_n_failures ();
  g_autoptr(GError) error = NULL;
  g_auto(Case) self = { .seed = conf_seed () + number, .step = (conf_seed () + number) % n_steps, .form = form };

  self.name = g_strdup_printf ("seed %u, %s", self.seed, form_names[form]);
  self.rand = g_rand_new_with_seed (self.seed);
  draw_inputs (&self);
  if (!make_function (&self))
    return;
  if (g_test_verbose ())
    g_test_message ("%s, step %u", self.name, self.step);
  self.judge = compile (&self, conf_interpreter (), self.function);
  if (!make_mapped (&self, &error))
    {
      const gint64 *extents[] = { self.known[0], self.known[1] };

      if (form != KNOWN || !fails_by_extents (&self, extents, error))
        fail (&self, 0, "%s", error->message);
      return;
    }
  self.judged = compile (&self, conf_backend (0), self.mapped);
  for (Size size = form == KNOWN
       ? SMALL : 0; size < (form == KNOWN ? SKEWED : N_SIZES) && self.judge != NULL && self.judged != NULL; size++)
    run (&self, size);
}

static guint
count_cases (void)
{
  const char *given = g_getenv ("ACC_TEST_CASES");

  return given != NULL && *given != '\0' ? (guint) atoi (given) : 2 * (conf_n_steps () + conf_n_failures ());
}

static void
test_form (gconstpointer data)
{
  for (guint i = 0; i < count_cases (); i++)
    check (i, GPOINTER_TO_UINT (data));
}

/* Of nested arrays that are not parameters: only those may stand beside a source. */

static AccExpr *
plus_total (AccExpr *x, gpointer array)
{
  return conf_mix2 (x, acc_expr_the (array), NULL);
}

static AccArray *
add_total (AccArray **arrays, guint n, gpointer source)
{
  g_autoptr(AccArray) total = acc_array_fold_all (source, conf_neutral (acc_array_get_element_type (source)), conf_combine, NULL);

  return acc_array_map (arrays[0], plus_total, total);
}

/* @values, which are not there before the run. */
static AccArray *
not_yet (AccArray *values, gboolean by_sequence)
{
  g_autoptr(AccSequence) sequence = by_sequence ? acc_sequence_new_from_array (values) : NULL;

  return by_sequence ? acc_sequence_elements (sequence) : conf_through_source (g_object_ref (values));
}

static void
test_source (gconstpointer by_sequence)
{
  g_auto(Case) self = { .name = g_strdup ("source"), .rand = g_rand_new_with_seed (1), .n = 1, .types = { conf_type ("i4") } };
  const char *const signature[] = { "i4[:]", NULL };

  for (Form form = IRREGULAR; form <= REGULAR; form++)
    {
      g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func (g_object_unref), got = NULL;
      g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr(AccArray) first = conf_array (self.types[0], (gint64[]) { 2 }, 1, self.rand, CONF_SMALL);
      g_autoptr(AccArray) source = not_yet (first, by_sequence != NULL);
      g_autoptr(AccNestedArray) nested = NULL, mapped = NULL;
      g_autoptr(GError) error = NULL;

      self.form = self.forms[0] = form;
      self.ranks[0] = self.rank = 1;
      nested = draw_input (&self, 0, SMALL, arguments);
      mapped = acc_nested_array_map (nested, add_total, source);
      got = acc_backend_run_many (conf_backend (0), (AccArray *[]) { acc_nested_array_get_values (mapped),
                                                                     acc_nested_array_get_extents (mapped) }, 2, NULL, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < n_elements[SMALL]; k++)
        {
          g_autoptr(AccArray) element = acc_nested_array_dup_element (nested, k), one = add_total (&element, 1, first);

          g_ptr_array_add (wanted, acc_backend_run (conf_interpreter (), one, NULL, &error));
          g_assert_no_error (error);
        }
      compare (&self, SMALL, wanted, got);
      g_set_object (&self.function, NULL);
      self.function = acc_program_new (signature, add_total, source);
      count_lifted (&self, &nested);
    }
}

static void
test_coverage (void)
{
  if (count_cases () < 3 * (conf_n_steps () + conf_n_failures ()))
    return;
  for (guint op = 0; op < ACC_N_OPERATIONS; op++)
    for (guint form = IRREGULAR; form <= MIXED; form++)
      if ((form < MIXED || (op != ACC_OP_SOURCE && op != ACC_OP_DEFERRED)) && n_lifted[op][form] == 0)
        {
          g_test_message ("%s was not lifted for %s elements", acc_operation_get_info (op)->name, form_names[form]);
          g_test_fail ();
        }
  for (guint i = 0; i < conf_n_failures (); i++)
    if (n_failed[i] == 0)
      {
        g_test_message ("%s did not fail", conf_get_failure (conf_n_steps () + i));
        g_test_fail ();
      }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < N_FORMS; i++)
    {
      g_autofree char *path = g_strdup_printf ("/lift/random/%s", form_names[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_form);
    }
  g_test_add_data_func ("/lift/random/source", NULL, test_source);
  g_test_add_data_func ("/lift/random/sequence", "", test_source);
  g_test_add_func ("/lift/random/coverage", test_coverage);
  return conf_run ();
}
