/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-program-private.h"

#include "acc-core/array/acc-graph-words-private.h"

/* Walks that come again, in a loop of the application's, have new sequences and functions each time, which compute the same. A stage is
 * described by words: of its functions, and of how they hang together. Arrays that functions read are not part of that; only their types
 * and extents are. */

/* Of a stage, and of all programs of a backend; the least recently used goes. */
#define MOST_WORDS    (1 << 14)
#define MOST_PROGRAMS 64
/* Steps that came once are told by their hash: nothing is made for what does not come again. */
#define N_SEEN        512

/* --- words of stages */

struct _AccWalkStructure {
  AccWords   words;   /* none: it has no use for others */
  GPtrArray *read;    /* AccArray, borrowed of the functions */
};

void
acc_walk_structure_free (AccWalkStructure *self)
{
  g_free (self->words.words);
  g_ptr_array_unref (self->read);
  g_free (self);
}

/* Inlets, then maps; what else there is are numbers. */
static guint64
number_sequence (AccWalkStage *self,
                 AccSequence  *sequence)
{
  guint found;

  for (guint i = 0; i < self->inlets->len; i++)
    if (((AccWalkInlet *) g_ptr_array_index (self->inlets, i))->sequence == sequence)
      return i;

  return g_ptr_array_find (self->maps, sequence, &found) ? self->inlets->len + found : G_MAXUINT64;
}

static void
put_function (AccWords            *words,
              GPtrArray           *functions,
              AccSequenceFunction *function)
{
  guint number;

  if (function != NULL && !g_ptr_array_find (functions, function, &number))
    {
      number = functions->len;
      g_ptr_array_add (functions, function);
    }
  acc_words_put (words,
                 function != NULL ? (guint64) number | (guint64) function->rank << 32 | (guint64) function->depth << 48 : G_MAXUINT64);
}

/* FALSE: an outlet does not tell. */
static gboolean
put_structure (AccWalkStage *self,
               AccWords     *words,
               GPtrArray    *functions)
{
  acc_words_put (words, (guint64) self->inlets->len << 32 | self->maps->len);
  for (guint i = 0; i < self->maps->len; i++)
    {
      AccSequence *map = g_ptr_array_index (self->maps, i);

      acc_words_put (words, map->n_inputs);
      for (guint j = 0; j < map->n_inputs; j++)
        acc_words_put (words, number_sequence (self, map->inputs[j]));
      put_function (words, functions, acc_walk_get_function (self->walk, map));
    }
  for (guint i = 0; i < self->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (self->outlets, i);
      AccSequenceFunction *function = NULL;

      acc_words_put (words, GPOINTER_TO_SIZE (outlet->klass));
      acc_words_put (words, number_sequence (self, outlet->sequence));
      if (outlet->klass->describe == NULL)
        return FALSE;
      acc_words_put (words, outlet->klass->describe (outlet, &function));
      put_function (words, functions, function);
    }

  return TRUE;
}

/* Graphs of what is in memory go on in those of steps. */
static void
add_lazy (AccWalkStage *self,
          GPtrArray    *results)
{
  for (guint i = 0; i < self->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (self->inlets, i);

      if (inlet->whole_is_lazy)
        g_ptr_array_extend_and_steal (results, acc_walk_part_list_arrays (inlet->whole->nested));
    }
}

static gboolean
write_functions (AccWalkStage   *self,
                 AccGraphWriter *writer,
                 GPtrArray      *functions)
{
  g_autoptr(GPtrArray) parameters = g_ptr_array_new (), results = g_ptr_array_new ();

  add_lazy (self, results);

  for (guint i = 0; i < functions->len; i++)
    {
      AccSequenceFunction *function = g_ptr_array_index (functions, i);

      for (guint j = 0; j < function->n_parameters; j++)
        g_ptr_array_add (parameters, function->parameters[j]);
      for (guint j = 0; j < function->n_results; j++)
        g_ptr_array_add (results, function->results[j]);
    }

  return acc_graph_writer_write (writer, (AccArray **) parameters->pdata, parameters->len, (AccArray **) results->pdata, results->len,
                                 MOST_WORDS);
}

static AccWalkStructure *
structure_new (AccWalkStage *stage)
{
  AccWalkStructure *self = g_new0 (AccWalkStructure, 1);
  g_autoptr(GPtrArray) functions = g_ptr_array_new ();
  AccGraphWriter writer = { 0 };

  self->read = g_ptr_array_new ();
  if ((acc_disable_get_flags () & ACC_DISABLE_REUSE) == 0 && put_structure (stage, &self->words, functions)
      && write_functions (stage, &writer, functions))
    {
      const AccWords *words = acc_graph_writer_get_words (&writer);

      for (guint i = 0; i < words->n; i++)
        acc_words_put (&self->words, words->words[i]);
      for (guint i = 0; i < writer.leaves->len; i++)
        if (((AccArray *) g_ptr_array_index (writer.leaves, i))->op == ACC_OP_USE)
          g_ptr_array_add (self->read, g_ptr_array_index (writer.leaves, i));
    }
  else
    {
      g_free (self->words.words);
      self->words = (AccWords) { 0 };
    }
  acc_graph_writer_clear (&writer);

  return self;
}

static AccWalkStructure *
get_structure (AccWalkStage *self)
{
  if (self->structure == NULL)
    self->structure = structure_new (self);

  return self->structure;
}

AccWords
acc_walk_stage_describe (AccWalkStage *self,
                         GArray       *key)
{
  const AccWords *own = &get_structure (self)->words;
  AccWords words = { 0 };

  if (own->n == 0)
    return words;
  acc_words_put (&words, own->n);
  for (guint i = 0; i < own->n; i++)
    acc_words_put (&words, own->words[i]);
  for (guint i = 0; i < key->len; i++)
    acc_words_put (&words, g_array_index (key, guint64, i));
  acc_words_close (&words);

  return words;
}

gboolean
acc_walk_stage_is_described (AccWalkStage *self)
{
  return get_structure (self)->words.n > 0;
}

GPtrArray *
acc_walk_stage_get_read (AccWalkStage *self)
{
  return get_structure (self)->read;
}

/* --- programs */

AccWalkProgram *
acc_walk_program_new (GArray *key)
{
  AccWalkProgram *self = g_new0 (AccWalkProgram, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->key = g_array_ref (key);
  self->extras = g_array_new (FALSE, FALSE, sizeof (AccWalkExtra));

  return self;
}

AccWalkProgram *
acc_walk_program_ref (AccWalkProgram *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
acc_walk_program_unref (AccWalkProgram *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->words.words);
  g_array_unref (self->key);
  g_clear_object (&self->executable);
  g_clear_pointer (&self->forms, g_array_unref);
  g_free (self->ends);
  g_clear_pointer (&self->levels, g_array_unref);
  g_clear_pointer (&self->results, g_array_unref);
  g_array_unref (self->extras);
  g_free (self);
}

/* --- those of a backend */

typedef struct {
  GMutex     lock;
  GPtrArray *programs;      /* AccWalkProgram, owned, the last used behind */
  guint64    seen[N_SEEN];
  guint64    n_hits;
} Table;

static void
table_free (Table *self)
{
  g_ptr_array_unref (self->programs);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* What was compiled needs the backend, which is about to go. */
static void
go (gpointer table,
    GObject *backend)
{
  table_free (table);
}

static Table *
table_of (AccBackend *backend)
{
  GQuark quark = g_quark_from_static_string ("acc-walk-programs");
  Table *self = g_object_get_qdata (G_OBJECT (backend), quark);

  if (self != NULL)
    return self;

  self = g_new0 (Table, 1);
  g_mutex_init (&self->lock);
  self->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_program_unref);
  if (g_object_replace_qdata (G_OBJECT (backend), quark, NULL, self, NULL, NULL))
    {
      g_object_weak_ref (G_OBJECT (backend), go, self);
      return self;
    }
  table_free (self);

  return g_object_get_qdata (G_OBJECT (backend), quark);
}

/* With the lock held; NULL: there is none. */
static AccWalkProgram *
take (Table          *self,
      const AccWords *words)
{
  for (guint i = self->programs->len; i-- > 0;)
    {
      AccWalkProgram *program = g_ptr_array_index (self->programs, i);

      if (acc_words_equal (&program->words, words))
        return g_ptr_array_steal_index (self->programs, i);
    }

  return NULL;
}

AccWalkProgram *
acc_walk_programs_find (AccBackend     *backend,
                        const AccWords *words,
                        gboolean       *came)
{
  Table *self = table_of (backend);
  guint64 *seen = &self->seen[words->hash >> 32 & (N_SEEN - 1)];
  AccWalkProgram *found;

  g_mutex_lock (&self->lock);
  found = take (self, words);
  if (found != NULL)
    {
      g_ptr_array_add (self->programs, acc_walk_program_ref (found));
      self->n_hits++;
    }
  *came = *seen == words->hash;
  *seen = words->hash;
  g_mutex_unlock (&self->lock);

  return found;
}

void
acc_walk_programs_add (AccBackend     *backend,
                       AccWalkProgram *program)
{
  Table *self = table_of (backend);
  g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_program_unref);
  AccWalkProgram *before;

  g_mutex_lock (&self->lock);
  before = take (self, &program->words);
  if (before != NULL)
    g_ptr_array_add (gone, before);
  if (self->programs->len == MOST_PROGRAMS)
    g_ptr_array_add (gone, g_ptr_array_steal_index (self->programs, 0));
  g_ptr_array_add (self->programs, acc_walk_program_ref (program));
  g_mutex_unlock (&self->lock);
}

guint64
acc_walk_programs_count_hits (AccBackend *backend)
{
  Table *self = table_of (backend);
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n_hits;
  g_mutex_unlock (&self->lock);

  return n;
}
