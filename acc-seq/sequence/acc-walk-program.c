/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-program-private.h"

#include "acc-core/array/acc-graph-words-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

/* The graph of a step, compiled once for all steps that differ in what is in their arrays, and in how many values irregular elements have:
 * the same graph is built of parameters, and a step runs it with its own arrays. What else decides the graph is the key. The second step of
 * a key compiles it, so that a walk of one step does not; it may be one of a walk before, whose functions were the same. */

/* Of as many keys at a time. */
#define MOST_PROGRAMS 16

GPtrArray *
acc_walk_programs_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_program_unref);
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

static gboolean
is_manifest (AccWalkPart *part)
{
  g_autoptr(GPtrArray) arrays = acc_walk_part_list_arrays (part->nested);

  for (guint i = 0; i < arrays->len; i++)
    if (!acc_array_is_manifest (g_ptr_array_index (arrays, i)))
      return FALSE;

  return TRUE;
}

static void
put_form (GArray      *key,
          AccWalkPart *part)
{
  AccWalkForm form = acc_walk_part_get_form (part->nested);

  put (key, (guint64) form.form | (guint64) form.rank << 8 | (guint64) form.depth << 20 | (guint64) part->count << 32);
}

/* A graph of what is in memory; FALSE: there is no other use for it. */
static gboolean
put_lazy (GArray       *key,
          AccWalkStage *self,
          AccWalkInlet *inlet,
          AccWalkPart  *part)
{
  AccLifted *lifted = acc_nested_array_get_lifted (part->nested);

  if (!inlet->whole_is_lazy || !acc_walk_stage_is_described (self))
    return FALSE;
  put (key, G_MAXUINT64);
  put_form (key, part);
  if (lifted->form == ACC_LIFTED_IRREGULAR)
    put (key, (guint64) acc_nesting_is_even (lifted->nesting));

  return lifted->form != ACC_LIFTED_CONSTANT;
}

/* Whether parts like @part can be parameters; @one: it is a single element, whose extents may be those of the program. */
static gboolean
put_part (GArray      *key,
          AccWalkPart *part,
          gboolean     one)
{
  AccLifted *lifted = acc_nested_array_get_lifted (part->nested);
  gboolean is_flat = acc_nested_array_get_inner (part->nested) == NULL;

  put_form (key, part);
  put (key, GPOINTER_TO_SIZE (lifted->values->type));
  if (lifted->form == ACC_LIFTED_IRREGULAR)
    put (key, (guint64) (one ? 0 : acc_nesting_is_even (lifted->nesting)) | (guint64) (lifted->nesting->extents != NULL) << 1);
  if (is_flat && (lifted->form == ACC_LIFTED_REGULAR || one))
    put_extents (key, lifted->values);
  for (guint d = 1; !is_flat && d < lifted->values->rank; d++)
    put (key, (guint64) acc_shape_get_extent (lifted->values->shape, d));

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

  if (self->alone)
    return NULL;
  put (key, (guint64) count);
  for (guint i = 0; i < self->inlets->len; i++)
    if (is_manifest (parts[i]) ? !put_part (key, parts[i], FALSE) : !put_lazy (key, self, g_ptr_array_index (self->inlets, i), parts[i]))
      return NULL;
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);

      put (key, outlet->done);
      if (!outlet->done && outlet->klass->tell != NULL)
        outlet->klass->tell (outlet, count, key, held);
    }
  for (guint i = 0; i < held->len; i++)
    if (!is_manifest (*(AccWalkPart **) g_ptr_array_index (held, i))
        || !put_part (key, *(AccWalkPart **) g_ptr_array_index (held, i), TRUE))
      return NULL;

  return g_steal_pointer (&key);
}

static gboolean
same_keys (GArray *a,
           GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (guint64)) == 0;
}

static AccWalkProgram *
add_program (AccWalkStage   *self,
             AccWalkProgram *program)
{
  if (self->programs->len == MOST_PROGRAMS)
    g_ptr_array_remove_index (self->programs, 0);
  g_ptr_array_add (self->programs, program);

  return program;
}

/* Takes over @key. NULL: nothing like it came before. */
static AccWalkProgram *
find_program (AccWalkStage *self,
              GArray       *key)
{
  g_autoptr(GArray) owned = key;
  AccWalkProgram *found;
  AccWords words;
  gboolean came = FALSE;

  for (guint i = 0; i < self->programs->len; i++)
    {
      found = g_ptr_array_index (self->programs, i);
      if (same_keys (found->key, key))
        return found;
    }

  words = acc_walk_stage_describe (self, key);
  found = words.n > 0 ? acc_walk_programs_find (self->walk->backend, &words, &came) : NULL;
  if (found != NULL && !found->is_own)
    {
      g_free (words.words);
      return add_program (self, found);
    }

  if (found != NULL)
    {
      acc_walk_program_unref (found);
      g_clear_pointer (&words.words, g_free);
      words.n = 0;
      came = FALSE;
    }
  found = add_program (self, acc_walk_program_new (key));
  found->words = words;

  return came ? found : NULL;
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

/* @nested, of @part: of several levels, how many elements inner ones have is no part of the program. */
static AccNestedArray *
make_nested (AccWalkPart    *part,
             AccNestedArray *nested,
             gboolean        one,
             GPtrArray      *parameters)
{
  AccLifted *lifted = acc_nested_array_get_lifted (nested);
  AccNestedArray *inner = acc_nested_array_get_inner (nested);
  gboolean is_outer = nested == part->nested;
  AccArray *groups = inner != NULL ? make_parameter (acc_nested_array_get_groups (nested), is_outer, parameters) : NULL;
  AccArray *values, *offsets, *extents;
  AccNesting *nesting;

  if (inner != NULL)
    return acc_nested_array_new_for_groups (make_nested (part, inner, FALSE, parameters), groups);

  values = make_parameter (lifted->values, is_outer && (lifted->form == ACC_LIFTED_REGULAR || one), parameters);
  if (lifted->form == ACC_LIFTED_REGULAR)
    {
      g_autoptr(AccArray) owned = values;

      return acc_nested_array_new_from_regular (values);
    }

  offsets = make_parameter (lifted->nesting->offsets, is_outer, parameters);
  extents = lifted->nesting->extents != NULL ? make_parameter (lifted->nesting->extents, is_outer, parameters) : NULL;
  nesting = acc_nesting_new (lifted->rank, offsets, extents);
  if (!one)
    acc_nesting_set_even (nesting, acc_nesting_is_even (lifted->nesting));

  return acc_nested_array_new_for_lifted (acc_lifted_new_irregular (nesting, values),
                                          is_outer ? acc_walk_new_count (part->count) : acc_nesting_dup_lengths (nesting));
}

static AccWalkPart *
make_part (AccWalkPart *part,
           gboolean     one,
           GPtrArray   *parameters)
{
  return acc_walk_part_new (make_nested (part, part->nested, one, parameters), part->count);
}

static void
add_arguments (AccWalkPart *part,
               GPtrArray   *arguments)
{
  g_autoptr(GPtrArray) arrays = acc_walk_part_list_arrays (part->nested);

  g_ptr_array_extend (arguments, arrays, NULL, NULL);
}

/* In the order of the parameters. @numbers: owns some of them. */
static GPtrArray *
list_arguments (AccWalkProgram *program,
                AccWalkStage   *self,
                AccWalkPart   **parts,
                GPtrArray      *held,
                GPtrArray      *numbers)
{
  GPtrArray *arguments = g_ptr_array_new ();

  g_ptr_array_add (arguments, self->begin);
  for (guint i = 0; i < self->inlets->len; i++)
    if (is_manifest (parts[i]))
      add_arguments (parts[i], arguments);
  for (guint i = 0; i < held->len; i++)
    add_arguments (*(AccWalkPart **) g_ptr_array_index (held, i), arguments);
  for (guint i = 0; i < program->extras->len; i++)
    {
      AccWalkExtra *extra = &g_array_index (program->extras, AccWalkExtra, i);

      if (extra->which < 0)
        g_ptr_array_add (numbers, acc_walk_new_number (extra->number));
      g_ptr_array_add (arguments, extra->which < 0 ? g_ptr_array_index (numbers, numbers->len - 1)
                                                   : g_ptr_array_index (acc_walk_stage_get_read (self), extra->which));
    }

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

/* What outlets want. */
static GPtrArray *
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
  GPtrArray *wanted;

  self->begin = make_parameter (begin, TRUE, parameters);
  for (guint i = 0; i < self->inlets->len; i++)
    g_ptr_array_add (own, is_manifest (parts[i]) ? make_part (parts[i], FALSE, parameters) : acc_walk_part_ref (parts[i]));
  for (guint i = 0; i < held->len; i++)
    g_ptr_array_add (others, make_part (*(AccWalkPart **) g_ptr_array_index (held, i), TRUE, parameters));

  exchange (held, others);
  program->ends = g_new0 (guint, self->outlets->len + 1);
  wanted = build (self, (AccWalkPart **) own->pdata, count, program->ends);
  exchange (held, others);
  g_object_unref (self->begin);
  self->begin = begin;

  return wanted;
}

/* Numbers of results; what is a parameter is none. */
static GPtrArray *
list_results (AccWalkProgram *program,
              GPtrArray      *wanted,
              GPtrArray      *parameters)
{
  GPtrArray *roots = g_ptr_array_new ();

  program->results = g_array_new (FALSE, FALSE, sizeof (gint));
  program->forms = g_array_new (FALSE, FALSE, sizeof (AccWalkForm));
  for (guint i = 0; i < wanted->len; i++)
    {
      AccNestedArray *nested = g_ptr_array_index (wanted, i);
      AccWalkForm form = acc_walk_part_get_form (nested);
      g_autoptr(GPtrArray) arrays = acc_walk_part_list_arrays (nested);

      g_array_append_val (program->forms, form);
      for (guint j = 0; j < arrays->len; j++)
        {
          guint parameter;
          gint number = (gint) roots->len;

          if (g_ptr_array_find (parameters, g_ptr_array_index (arrays, j), &parameter))
            number = ~(gint) parameter;
          else
            g_ptr_array_add (roots, g_ptr_array_index (arrays, j));
          g_array_append_val (program->results, number);
        }
    }

  return roots;
}

/* Puts what @leaves has behind the parameters into .extras; FALSE: something of it is not known. */
static gboolean
find_extras (AccWalkProgram *program,
             AccWalkStage   *self,
             GPtrArray      *leaves,
             guint           n_parameters)
{
  for (guint i = n_parameters; i < leaves->len; i++)
    {
      AccArray *leaf = g_ptr_array_index (leaves, i);
      AccWalkExtra extra = { -1, 0 };
      guint found;

      if (g_ptr_array_find (acc_walk_stage_get_read (self), leaf, &found))
        extra.which = (gint) found;
      else if (g_ptr_array_find (self->numbers, leaf, NULL))
        extra.number = *acc_walk_map_numbers (leaf, NULL);
      else
        return FALSE;
      g_array_append_val (program->extras, extra);
    }

  return TRUE;
}

/* The graph without anything of this walk, for others; NULL: it has to have something. */
static AccProgram *
generalise (AccWalkProgram *program,
            AccWalkStage   *self,
            GPtrArray      *parameters,
            GPtrArray      *roots)
{
  AccGraphWriter writer = { 0 };
  AccProgram *general = NULL;

  if (program->words.n > 0
      && acc_graph_writer_write (&writer, (AccArray **) parameters->pdata, parameters->len, (AccArray **) roots->pdata, roots->len,
                                 G_MAXUINT)
      && find_extras (program, self, writer.leaves, parameters->len))
    general = acc_graph_generalise (writer.leaves, (AccArray **) roots->pdata, roots->len);
  acc_graph_writer_clear (&writer);
  if (general != NULL)
    return general;

  g_array_set_size (program->extras, 0);

  return NULL;
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

/* With walks that come later. */
static void
share (AccWalkProgram *program,
       AccWalkStage   *self)
{
  AccWalkProgram *other;

  if (!program->is_own && program->executable != NULL)
    {
      acc_executable_borrow_backend (program->executable);
      acc_walk_programs_add (self->walk->backend, program);
      return;
    }

  other = acc_walk_program_new (program->key);
  other->words = acc_words_dup (&program->words);
  other->is_made = TRUE;
  other->is_own = TRUE;
  acc_walk_programs_add (self->walk->backend, other);
  acc_walk_program_unref (other);
}

static void
make_program (AccWalkProgram *program,
              AccWalkStage   *self,
              AccWalkPart   **parts,
              gint64          count,
              AccWalkBuild    build,
              GPtrArray      *held)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func (g_object_unref), roots = NULL, wanted = NULL;

  program->is_made = TRUE;
  program->levels = g_array_new (FALSE, FALSE, sizeof (guint));
  wanted = build_program (program, self, parts, count, build, held, parameters);
  move_levels (self, program->levels, FALSE);
  roots = list_results (program, wanted, parameters);
  if (roots->len > 0)
    {
      g_autoptr(AccProgram) nodes = generalise (program, self, parameters, roots);

      program->is_own = nodes == NULL;
      if (nodes == NULL)
        nodes = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, (AccArray **) roots->pdata, roots->len);
      program->executable = acc_backend_compile (self->walk->backend, nodes, self->walk->cancellable, NULL);
      if (program->executable == NULL)
        g_clear_pointer (&program->forms, g_array_unref);
    }
  if (program->words.n > 0)
    share (program, self);
}

/* --- running */

static GPtrArray *
make_parts (AccWalkProgram *program,
            GPtrArray      *arguments,
            GPtrArray      *values,
            gint64          count)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  g_autoptr(GPtrArray) arrays = g_ptr_array_new ();

  for (guint i = 0, at = 0; i < program->forms->len; i++)
    {
      const AccWalkForm *form = &g_array_index (program->forms, AccWalkForm, i);

      g_ptr_array_set_size (arrays, 0);
      for (guint j = 0; j < acc_walk_form_count_arrays (form); j++)
        {
          gint number = g_array_index (program->results, gint, at++);

          g_ptr_array_add (arrays, number < 0 ? g_ptr_array_index (arguments, ~number) : g_ptr_array_index (values, number));
        }
      g_ptr_array_add (parts, acc_walk_part_new_of_form (form, (AccArray **) arrays->pdata, count));
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
  g_autoptr(GPtrArray) held = g_ptr_array_new (), numbers = g_ptr_array_new_with_free_func (g_object_unref), arguments = NULL,
                       values = NULL;
  g_autoptr(GError) local = NULL;
  GArray *key;
  AccWalkProgram *program;

  if ((key = make_key (self, parts, count, held)) == NULL || (program = find_program (self, key)) == NULL)
    return NULL;
  if (!program->is_made)
    make_program (program, self, parts, count, build, held);
  if (program->forms == NULL)
    return NULL;

  arguments = list_arguments (program, self, parts, held, numbers);
  if (program->executable != NULL)
    {
      values = acc_evaluate_program (program->executable, (AccArray **) arguments->pdata, arguments->len, self->walk->cancellable, &local);
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
