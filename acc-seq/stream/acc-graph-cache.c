/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-graph-cache-private.h"

#include "acc-core/array/acc-graph-words-private.h"

/* Graphs whose words take more together, and more than so many, make room: the least recently used one first. */
#define MOST_ENTRIES 128
#define MOST_WORDS   (1 << 19)

/* Graphs that came once are told by their hash, so that nothing is made or kept of those that do not come again. */
#define N_SEEN       1024

/* Literals that had the same value each time are part of the program; the others became parameters of it. */
typedef struct {
  AccWords       words;
  AccExecutable *executable;   /* NULL: its parameters would not tell all */
  guint64       *literals;
  gboolean      *is_parameter; /* for each of .literals, and one more */
  guint64        used;
} Entry;

struct _AccGraphCache {
  GMutex          lock;
  GHashTable     *entries;     /* Entry */
  gsize           n_words;     /* of all of them */
  guint64         clock, n_hits;
  guint64         seen[N_SEEN];
  AccGraphWriter *spare;       /* not in use */
};

static void
entry_free (gpointer data)
{
  Entry *self = data;

  g_clear_object (&self->executable);
  g_free (self->literals);
  g_free (self->is_parameter);
  g_free (self->words.words);
  g_free (self);
}

static AccGraphCache *
cache_new (void)
{
  AccGraphCache *self = g_new0 (AccGraphCache, 1);

  g_mutex_init (&self->lock);
  self->entries = g_hash_table_new (acc_words_hash, acc_words_equal);

  return self;
}

static void
writer_free (AccGraphWriter *writer)
{
  acc_graph_writer_clear (writer);
  g_free (writer);
}

static void
cache_free (AccGraphCache *self)
{
  GHashTableIter iter;
  gpointer entry;

  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, &entry, NULL))
    entry_free (entry);
  g_hash_table_unref (self->entries);
  g_clear_pointer (&self->spare, writer_free);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("acc-graph-cache");
}

/* What was compiled needs the backend, which is about to go. */
static void
go (gpointer cache,
    GObject *backend)
{
  cache_free (cache);
}

AccGraphCache *
acc_graph_cache_of (AccBackend *backend)
{
  AccGraphCache *self = g_object_get_qdata (G_OBJECT (backend), get_quark ());

  if (self != NULL)
    return self;

  self = cache_new ();
  if (g_object_replace_qdata (G_OBJECT (backend), get_quark (), NULL, self, NULL, NULL))
    g_object_weak_ref (G_OBJECT (backend), go, self);
  else
    {
      cache_free (self);
      self = g_object_get_qdata (G_OBJECT (backend), get_quark ());
    }

  return self;
}

static AccGraphWriter *
take_writer (AccGraphCache *self)
{
  AccGraphWriter *writer;

  g_mutex_lock (&self->lock);
  writer = g_steal_pointer (&self->spare);
  g_mutex_unlock (&self->lock);

  if (writer == NULL)
    {
      writer = g_new0 (AccGraphWriter, 1);
      writer->generalises = TRUE;
    }

  return writer;
}

static void
give_back (AccGraphCache  *self,
           AccGraphWriter *writer)
{
  g_mutex_lock (&self->lock);
  if (self->spare == NULL)
    self->spare = g_steal_pointer (&writer);
  g_mutex_unlock (&self->lock);

  g_clear_pointer (&writer, writer_free);
}

/* What goes is freed without the lock. */
static void
remove_entry (AccGraphCache *self,
              Entry         *entry,
              GPtrArray     *gone)
{
  self->n_words -= entry->words.n;
  g_hash_table_remove (self->entries, entry);
  g_ptr_array_add (gone, entry);
}

static void
make_room (AccGraphCache *self,
           guint          n_words,
           GPtrArray     *gone)
{
  while (g_hash_table_size (self->entries) > 0
         && (g_hash_table_size (self->entries) >= MOST_ENTRIES || self->n_words + n_words > MOST_WORDS))
    {
      Entry *entry, *oldest = NULL;
      GHashTableIter iter;

      g_hash_table_iter_init (&iter, self->entries);
      while (g_hash_table_iter_next (&iter, (gpointer *) &entry, NULL))
        if (oldest == NULL || entry->used < oldest->used)
          oldest = entry;
      remove_entry (self, oldest, gone);
    }
}

static guint64
get_literal (AccGraphWriter *writer,
             guint           i)
{
  return ((AccExpr *) g_ptr_array_index (writer->literals, i))->value.u;
}

/* In place of one with fewer parameters, and of what another thread added meanwhile. Takes over @executable and @is_parameter. */
static void
add (AccGraphCache  *self,
     AccGraphWriter *writer,
     AccExecutable  *executable,
     gboolean       *is_parameter)
{
  g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func (entry_free);
  Entry *entry = g_new0 (Entry, 1), *before;

  entry->words = acc_words_dup (acc_graph_writer_get_words (writer));
  entry->executable = executable;
  entry->is_parameter = is_parameter;
  entry->literals = g_new (guint64, writer->literals->len + 1);
  for (guint i = 0; i < writer->literals->len; i++)
    entry->literals[i] = get_literal (writer, i);

  g_mutex_lock (&self->lock);
  before = g_hash_table_lookup (self->entries, entry);
  if (before != NULL)
    remove_entry (self, before, gone);
  make_room (self, entry->words.n, gone);
  entry->used = ++self->clock;
  self->n_words += entry->words.n;
  g_hash_table_add (self->entries, entry);
  g_mutex_unlock (&self->lock);
}

typedef enum {
  FOUND_NOTHING,
  FOUND_SEEN,      /* it came before */
  FOUND_OTHERS,    /* it came with other literals, too */
  FOUND_ENTRY,
} Found;

/* @is_parameter: which literals are parameters, or will be. */
static Found
look_up (AccGraphCache  *self,
         AccGraphWriter *writer,
         AccExecutable **executable,
         gboolean       *is_parameter)
{
  const AccWords *words = acc_graph_writer_get_words (writer);
  guint64 *seen = &self->seen[words->hash >> 32 & (N_SEEN - 1)];
  Found found = FOUND_ENTRY;
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->entries, words);
  if (entry == NULL)
    found = *seen == words->hash ? FOUND_SEEN : FOUND_NOTHING;
  else
    entry->used = ++self->clock;
  for (guint i = 0; i < writer->literals->len && entry != NULL && entry->executable != NULL; i++)
    {
      gboolean differs = !entry->is_parameter[i] && entry->literals[i] != get_literal (writer, i);

      is_parameter[i] = entry->is_parameter[i] || differs;
      if (differs)
        found = FOUND_OTHERS;
    }
  if (found == FOUND_ENTRY && entry->executable != NULL)
    {
      self->n_hits++;
      *executable = g_object_ref (entry->executable);
    }
  *seen = words->hash;
  g_mutex_unlock (&self->lock);

  return found;
}

static AccExecutable *
compile (AccBackend     *backend,
         AccGraphWriter *writer,
         AccArray      **arrays,
         guint           n_arrays,
         const gboolean *is_parameter)
{
  g_autoptr(AccProgram) program = acc_graph_generalise (writer->leaves, arrays, n_arrays);
  AccExecutable *executable;

  for (guint i = 0; i < writer->literals->len && program != NULL; i++)
    if (is_parameter[i])
      {
        g_autoptr(AccProgram) fixed = program;

        program = acc_graph_generalise_literals (fixed, is_parameter);
        break;
      }
  executable = program != NULL ? acc_backend_compile (backend, program, NULL, NULL) : NULL;
  if (executable != NULL)
    acc_executable_borrow_backend (executable);

  return executable;
}

static AccArray *
use_literal (AccExpr *literal)
{
  g_autoptr(AccShape) shape = acc_shape_new_scalar ();
  gsize size = acc_element_type_get_size (literal->type);
  gpointer value = g_malloc0 (size);
  g_autoptr(GBytes) bytes = g_bytes_new_take (value, size);

  acc_scalar_store (acc_element_type_get_kind (literal->type), value, 0, literal->value);

  return acc_array_use (literal->type, shape, bytes);
}

static GPtrArray *
list_arguments (AccGraphWriter *writer,
                const gboolean *is_parameter)
{
  GPtrArray *arguments = g_ptr_array_new_full (writer->leaves->len, g_object_unref);

  for (guint i = 0; i < writer->leaves->len; i++)
    g_ptr_array_add (arguments, g_object_ref (g_ptr_array_index (writer->leaves, i)));
  for (guint i = 0; i < writer->literals->len; i++)
    if (is_parameter[i])
      g_ptr_array_add (arguments, use_literal (g_ptr_array_index (writer->literals, i)));

  return arguments;
}

/* Of what @writer has written. */
static AccExecutable *
get (AccGraphCache  *self,
     AccGraphWriter *writer,
     AccBackend     *backend,
     AccArray      **arrays,
     guint           n_arrays,
     GPtrArray     **arguments)
{
  g_autofree gboolean *is_parameter = g_new0 (gboolean, writer->literals->len + 1);
  AccExecutable *executable = NULL;
  Found found = look_up (self, writer, &executable, is_parameter);
  gboolean is_new = found == FOUND_SEEN || found == FOUND_OTHERS;

  if (is_new)
    executable = compile (backend, writer, arrays, n_arrays, is_parameter);
  if (executable != NULL)
    *arguments = list_arguments (writer, is_parameter);
  if (is_new)
    add (self, writer, executable != NULL ? g_object_ref (executable) : NULL, g_steal_pointer (&is_parameter));

  return executable;
}

AccExecutable *
acc_graph_cache_get (AccBackend *backend,
                     AccArray  **arrays,
                     guint       n_arrays,
                     GPtrArray **arguments)
{
  AccGraphCache *self;
  AccGraphWriter *writer;
  AccExecutable *executable = NULL;

  if (!ACC_BACKEND_GET_CLASS (backend)->keeps_plans || (acc_disable_get_flags () & ACC_DISABLE_REUSE) != 0)
    return NULL;

  self = acc_graph_cache_of (backend);
  writer = take_writer (self);
  if (acc_graph_writer_write (writer, NULL, 0, arrays, n_arrays, MOST_WORDS / 4))
    executable = get (self, writer, backend, arrays, n_arrays, arguments);
  give_back (self, writer);

  return executable;
}

guint64
acc_graph_cache_count_hits (AccGraphCache *self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n_hits;
  g_mutex_unlock (&self->lock);

  return n;
}
