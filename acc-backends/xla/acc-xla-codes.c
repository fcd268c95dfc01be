/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-xla-codes.h"

/* Modules that are kept compiled, before those that no schedule has go. */
#define MOST_CODES 512

struct _AccXlaCodes {
  AccXlaEngine *engine;
  GMutex        lock;
  GHashTable   *table;      /* text to AccXlaCode */
};

AccXlaCodes *
acc_xla_codes_new (AccXlaEngine *engine)
{
  AccXlaCodes *self = g_new0 (AccXlaCodes, 1);

  self->engine = engine;
  g_mutex_init (&self->lock);
  self->table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) acc_xla_code_unref);

  return self;
}

void
acc_xla_codes_free (AccXlaCodes *self)
{
  g_hash_table_unref (self->table);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
acc_xla_code_unref (AccXlaCode *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  self->klass->free_code (self->code);
  g_free (self);
}

static gboolean
is_unused (gpointer key,
           gpointer value,
           gpointer data)
{
  return g_atomic_ref_count_compare (&((AccXlaCode *) value)->ref_count, 1);
}

/* NULL: nobody has compiled it. */
static AccXlaCode *
look_up (AccXlaCodes *self,
         const char  *text)
{
  AccXlaCode *code = g_hash_table_lookup (self->table, text);

  if (code != NULL)
    g_atomic_ref_count_inc (&code->ref_count);

  return code;
}

AccXlaCode *
acc_xla_codes_get (AccXlaCodes         *self,
                   const AccHloModule  *module,
                   const char          *what,
                   GError             **error)
{
  AccXlaCode *code, *other;
  gpointer compiled;

  g_mutex_lock (&self->lock);
  code = look_up (self, module->text);
  g_mutex_unlock (&self->lock);
  if (code != NULL)
    return code;

  compiled = self->engine->klass->compile (self->engine, module, what, error);
  if (compiled == NULL)
    return NULL;
  code = g_new0 (AccXlaCode, 1);
  g_atomic_ref_count_init (&code->ref_count);
  code->klass = self->engine->klass;
  code->code = compiled;

  g_mutex_lock (&self->lock);
  other = look_up (self, module->text);
  if (other == NULL)
    {
      if (g_hash_table_size (self->table) >= MOST_CODES)
        g_hash_table_foreach_remove (self->table, is_unused, NULL);
      g_atomic_ref_count_inc (&code->ref_count);
      g_hash_table_insert (self->table, g_strdup (module->text), code);
    }
  g_mutex_unlock (&self->lock);
  if (other != NULL)
    acc_xla_code_unref (code);

  return other != NULL ? other : code;
}
