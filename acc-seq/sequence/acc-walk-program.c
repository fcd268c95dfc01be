/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

/* The graph of a step, compiled once for all steps that differ in what is in their arrays, and in how many values irregular elements have:
 * the same graph is built of parameters, and a step runs it with its own arrays. What else decides the graph is the key. The second step of
 * a key compiles it, so that a walk of one step does not. */

/* Of as many keys at a time. */
#define MOST_PROGRAMS 16

struct _AccWalkProgram {
  GArray        *key;          /* of guint64 */
  gboolean       is_made;
  AccExecutable *executable;   /* owned; NULL: nothing is computed, or it does not compile */
  GPtrArray     *wanted;       /* AccNestedArray, of parameters; NULL: it does not compile */
  guint         *ends;
  GArray        *levels;       /* of guint: what outlets keep of build() for absorb() */
  GArray        *results;      /* of gint, for each array of @wanted: of the executable, or ~ of the argument */
};

static void
program_free (gpointer data)
{
  AccWalkProgram *self = data;

  g_array_unref (self->key);
  g_clear_object (&self->executable);
  g_clear_pointer (&self->wanted, g_ptr_array_unref);
  g_free (self->ends);
  g_clear_pointer (&self->levels, g_array_unref);
  g_clear_pointer (&self->results, g_array_unref);
  g_free (self);
}

GPtrArray *
acc_walk_programs_new (void)
{
  return g_ptr_array_new_with_free_func (program_free);
}

/* --- keys */

static void
put (GArray *key,
     guint64 word)
{
  g_array_append_val (key, word);
}

static void
put_extents (GArray   *key,
             AccArray *array)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (array->shape, &rank);

  for (guint i = 0; i < rank; i++)
    put (key, (guint64) extents[i]);
}

/* Whether parts like @part can be parameters; @one: it is a single element, whose extents may be those of the program. */
static gboolean
put_part (GArray      *key,
          AccWalkPart *part,
          gboolean     one)
{
  AccLifted *lifted = acc_nested_array_get_lifted (part->nested);
  AccArray *arrays[3];
  guint n = acc_walk_part_list_arrays (part->nested, arrays);

  for (guint i = 0; i < n; i++)
    if (!acc_array_is_manifest (arrays[i]))
      return FALSE;

  put (key, (guint64) lifted->form | (guint64) lifted->rank << 8 | (guint64) part->count << 32);
  put (key, GPOINTER_TO_SIZE (lifted->values->type));
  if (lifted->form == ACC_LIFTED_IRREGULAR)
    put (key, (guint64) (one ? 0 : acc_nesting_is_even (lifted->nesting)) | (guint64) (lifted->nesting->extents != NULL) << 1);
  if (lifted->form == ACC_LIFTED_REGULAR || one)
    put_extents (key, lifted->values);

  return lifted->form != ACC_LIFTED_CONSTANT;
}

/* What decides the graph of a step, and the parts that outlets read; NULL: too much does. */
static GArray *
make_key (AccWalkStage *self,
          AccWalkPart **parts,
          gint64        count,
          GPtrArray    *held)
{
  g_autoptr(GArray) key = g_array_new (FALSE, FALSE, sizeof (guint64));

  put (key, (guint64) count);
  for (guint i = 0; i < self->inlets->len; i++)
    if (!put_part (key, parts[i], FALSE))
      return NULL;
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      put (key, outlet->done);
      if (!outlet->done && outlet->klass->tell != NULL)
        outlet->klass->tell (outlet, count, key, held);
    }
  for (guint i = 0; i < held->len; i++)
    if (!put_part (key, *(AccWalkPart **) g_ptr_array_index (held, i), TRUE))
      return NULL;

  return g_steal_pointer (&key);
}

static gboolean
same_keys (GArray *a,
           GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (guint64)) == 0;
}

/* Takes over @key. */
static AccWalkProgram *
find_program (AccWalkStage *self,
              GArray       *key)
{
  AccWalkProgram *found;

  for (guint i = 0; i < self->programs->len; i++)
    {
      found = g_ptr_array_index (self->programs, i);
      if (same_keys (found->key, key))
        {
          g_array_unref (key);
          return found;
        }
    }

  if (self->programs->len == MOST_PROGRAMS)
    g_ptr_array_remove_index (self->programs, 0);
  found = g_new0 (AccWalkProgram, 1);
  found->key = key;
  g_ptr_array_add (self->programs, found);

  return NULL;
}

/* --- parameters */

/* One for @array, of the extents that it has but, unless @whole, for the outermost. */
static AccArray *
make_parameter (AccArray  *array,
                gboolean   whole,
                GPtrArray *parameters)
{
  guint rank;
  const gint64 *extents = acc_shape_get_extents (array->shape, &rank);
  g_autofree gint64 *declared = g_new (gint64, rank + 1);
  AccArray *parameter;

  for (guint i = 0; i < rank; i++)
    declared[i] = i > 0 || whole ? extents[i] : -1;
  parameter = acc_array_new_parameter (array->type, rank, declared, parameters->len);
  g_ptr_array_add (parameters, g_object_ref (parameter));

  return parameter;
}

static AccWalkPart *
make_part (AccWalkPart *part,
           gboolean     one,
           GPtrArray   *parameters)
{
  AccLifted *lifted = acc_nested_array_get_lifted (part->nested);
  AccArray *values = make_parameter (lifted->values, lifted->form == ACC_LIFTED_REGULAR || one, parameters), *offsets, *extents;
  AccNesting *nesting;

  if (lifted->form == ACC_LIFTED_REGULAR)
    {
      g_autoptr(AccArray) owned = values;

      return acc_walk_part_new (acc_nested_array_new_from_regular (values), part->count);
    }

  offsets = make_parameter (lifted->nesting->offsets, TRUE, parameters);
  extents = lifted->nesting->extents != NULL ? make_parameter (lifted->nesting->extents, TRUE, parameters) : NULL;
  nesting = acc_nesting_new (lifted->rank, offsets, extents);
  if (!one)
    acc_nesting_set_even (nesting, acc_nesting_is_even (lifted->nesting));

  return acc_walk_part_new (acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values), acc_walk_new_count (part->count)),
                            part->count);
}

static void
add_arguments (AccWalkPart *part,
               GPtrArray   *arguments)
{
  AccArray *arrays[3];
  guint n = acc_walk_part_list_arrays (part->nested, arrays);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (arguments, arrays[i]);
}

/* In the order of the parameters. */
static GPtrArray *
list_arguments (AccWalkStage *self,
                AccWalkPart **parts,
                GPtrArray    *held)
{
  GPtrArray *arguments = g_ptr_array_new ();

  g_ptr_array_add (arguments, self->begin);
  for (guint i = 0; i < self->inlets->len; i++)
    add_arguments (parts[i], arguments);
  for (guint i = 0; i < held->len; i++)
    add_arguments (*(AccWalkPart **) g_ptr_array_index (held, i), arguments);

  return arguments;
}

/* --- compiling */

/* Exchanges what outlets hold. */
static void
exchange (GPtrArray *held,
          GPtrArray *others)
{
  for (guint i = 0; i < held->len; i++)
    {
      AccWalkPart **place = g_ptr_array_index (held, i), *part = *place;

      *place = g_ptr_array_index (others, i);
      others->pdata[i] = part;
    }
}

static void
build_program (AccWalkProgram *program,
               AccWalkStage   *self,
               AccWalkPart   **parts,
               gint64          count,
               AccWalkBuild    build,
               GPtrArray      *held,
               GPtrArray      *parameters)
{
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  AccArray *begin = self->begin;

  self->begin = make_parameter (begin, TRUE, parameters);
  for (guint i = 0; i < self->inlets->len; i++)
    g_ptr_array_add (own, make_part (parts[i], FALSE, parameters));
  for (guint i = 0; i < held->len; i++)
    g_ptr_array_add (others, make_part (*(AccWalkPart **) g_ptr_array_index (held, i), TRUE, parameters));

  exchange (held, others);
  program->ends = g_new0 (guint, self->outlets->len + 1);
  program->wanted = build (self, (AccWalkPart **) own->pdata, count, program->ends);
  exchange (held, others);
  g_object_unref (self->begin);
  self->begin = begin;
}

/* Numbers of results; what is a parameter is none. */
static GPtrArray *
list_results (AccWalkProgram *program,
              GPtrArray      *parameters)
{
  GPtrArray *roots = g_ptr_array_new ();
  AccArray *arrays[3];

  program->results = g_array_new (FALSE, FALSE, sizeof (gint));
  for (guint i = 0; i < program->wanted->len; i++)
    {
      guint n = acc_walk_part_list_arrays (g_ptr_array_index (program->wanted, i), arrays);

      for (guint j = 0; j < n; j++)
        {
          guint parameter;
          gint number = (gint) roots->len;

          if (g_ptr_array_find (parameters, arrays[j], &parameter))
            number = ~(gint) parameter;
          else
            g_ptr_array_add (roots, arrays[j]);
          g_array_append_val (program->results, number);
        }
    }

  return roots;
}

/* What outlets keep of a build, into @levels or from it. */
static void
move_levels (AccWalkStage *self,
             GArray       *levels,
             gboolean      back)
{
  guint at = 0;

  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      if (!outlet->done && outlet->klass->move != NULL)
        at = outlet->klass->move (outlet, levels, at, back);
    }
}

static void
make_program (AccWalkProgram *program,
              AccWalkStage   *self,
              AccWalkPart   **parts,
              gint64          count,
              AccWalkBuild    build,
              GPtrArray      *held)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref), roots = NULL;

  program->is_made = TRUE;
  program->levels = g_array_new (FALSE, FALSE, sizeof (guint));
  build_program (program, self, parts, count, build, held, parameters);
  move_levels (self, program->levels, FALSE);
  roots = list_results (program, parameters);
  if (roots->len > 0)
    {
      g_autoptr(AccProgram) nodes = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, (AccArray **) roots->pdata,
                                                               roots->len);

      program->executable = acc_backend_compile (self->walk->backend, nodes, self->walk->cancellable, NULL);
      if (program->executable == NULL)
        g_clear_pointer (&program->wanted, g_ptr_array_unref);
    }
}

/* --- running */

static GPtrArray *
make_parts (AccWalkProgram *program,
            GPtrArray      *arguments,
            GPtrArray      *values,
            gint64          count)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  AccArray *arrays[3];

  for (guint i = 0, at = 0; i < program->wanted->len; i++)
    {
      AccNestedArray *nested = g_ptr_array_index (program->wanted, i);
      guint n = acc_walk_part_list_arrays (nested, arrays);

      for (guint j = 0; j < n; j++)
        {
          gint number = g_array_index (program->results, gint, at++);

          arrays[j] = number < 0 ? g_ptr_array_index (arguments, ~number) : g_ptr_array_index (values, number);
        }
      g_ptr_array_add (parts, acc_walk_part_new_computed (nested, arrays, count));
    }

  return parts;
}

GPtrArray *
acc_walk_program_run (AccWalkStage *self,
                      AccWalkPart **parts,
                      gint64        count,
                      AccWalkBuild  build,
                      guint        *ends,
                      GError      **error)
{
  g_autoptr(GPtrArray) held = g_ptr_array_new (), arguments = NULL, values = NULL;
  g_autoptr(GError) local = NULL;
  GArray *key;
  AccWalkProgram *program;

  if (!acc_walk_is_on_processors (self->walk) || (key = make_key (self, parts, count, held)) == NULL
      || (program = find_program (self, key)) == NULL)
    return NULL;
  if (!program->is_made)
    make_program (program, self, parts, count, build, held);
  if (program->wanted == NULL)
    return NULL;

  arguments = list_arguments (self, parts, held);
  if (program->executable != NULL)
    {
      values = acc_executable_run (program->executable, (AccArray **) arguments->pdata, arguments->len, self->walk->cancellable, &local);
      /* There are ways that need less memory. */
      if (values == NULL && !g_error_matches (local, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY))
        g_propagate_error (error, g_steal_pointer (&local));
      if (values == NULL)
        return NULL;
    }

  memcpy (ends, program->ends, self->outlets->len * sizeof (guint));
  move_levels (self, program->levels, TRUE);

  return make_parts (program, arguments, values, count);
}
