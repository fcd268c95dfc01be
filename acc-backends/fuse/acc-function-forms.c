/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-function-forms.h"

#include "acc-core/expr/acc-function-words-private.h"

#include <string.h>

/* The parameter whose taps were counted last. */
typedef struct {
  AccTaps found;    /* .n 0: nowhere */
  guint   rank;
  gint64  sizes[ACC_FUNCTION_MAX_TAP_RANK];
} Taps;

typedef struct {
  AccWords words;
  guint    number;
  double   cost;
  gboolean *reads;  /* per array: whether elements are read */
  Taps    *taps;    /* per parameter; NULL: none asked for */
} Form;

struct _AccFunctionForms {
  guint       ref_count;

  GHashTable *known;      /* AccFunction → Form */
  GHashTable *forms;      /* Form, owned */

  AccFunctionWriter writer;
};

static void
form_free (gpointer data)
{
  Form *self = data;

  g_free (self->words.words);
  g_free (self->reads);
  g_free (self->taps);
  g_free (self);
}

AccFunctionForms *
acc_function_forms_new (void)
{
  AccFunctionForms *self = g_new0 (AccFunctionForms, 1);

  self->ref_count = 1;
  self->known = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) acc_function_unref, NULL);
  self->forms = g_hash_table_new_full (acc_words_hash, acc_words_equal, form_free, NULL);

  return self;
}

AccFunctionForms *
acc_function_forms_ref (AccFunctionForms *self)
{
  self->ref_count++;

  return self;
}

void
acc_function_forms_unref (AccFunctionForms *self)
{
  if (--self->ref_count > 0)
    return;

  g_hash_table_unref (self->known);
  g_hash_table_unref (self->forms);
  acc_function_writer_clear (&self->writer);
  g_free (self);
}

static void
write_form (AccFunctionForms *self,
            AccFunction      *function)
{
  guint number;

  self->writer.words.n = 0;
  acc_numbers_clear (&self->writer.arrays);
  for (guint i = 0; i < function->arrays->len; i++)
    acc_numbers_add (&self->writer.arrays, g_ptr_array_index (function->arrays, i), &number);

  acc_function_writer_put (&self->writer, function);
  acc_words_close (&self->writer.words);
}

static gboolean *
list_reads (AccFunction *function)
{
  g_autoptr(GHashTable) reads = g_hash_table_new (NULL, NULL);
  gboolean *list = g_new (gboolean, function->arrays->len);

  acc_function_collect_reads (function, reads);
  for (guint i = 0; i < function->arrays->len; i++)
    list[i] = g_hash_table_contains (reads, g_ptr_array_index (function->arrays, i));

  return list;
}

static Form *
get_form (AccFunctionForms *self,
          AccFunction      *function)
{
  Form *form = g_hash_table_lookup (self->known, function);

  if (form != NULL)
    return form;

  write_form (self, function);
  form = g_hash_table_lookup (self->forms, &self->writer.words);
  if (form == NULL)
    {
      form = g_new0 (Form, 1);
      form->words = acc_words_dup (&self->writer.words);
      form->number = g_hash_table_size (self->forms);
      form->cost = acc_function_get_cost (function);
      form->reads = list_reads (function);
      g_hash_table_add (self->forms, form);
    }
  g_hash_table_insert (self->known, acc_function_ref (function), form);

  return form;
}

guint
acc_function_forms_get_number (AccFunctionForms *self,
                               AccFunction      *function)
{
  return get_form (self, function)->number;
}

gboolean
acc_function_forms_reads (AccFunctionForms *self,
                          AccFunction      *function,
                          guint             array)
{
  return get_form (self, function)->reads[array];
}

double
acc_function_forms_get_cost (AccFunctionForms *self,
                             AccFunction      *function)
{
  return get_form (self, function)->cost;
}

AccTaps
acc_function_forms_find_taps (AccFunctionForms *self,
                              AccFunction      *function,
                              guint             param,
                              const gint64     *sizes,
                              guint             rank)
{
  Form *form = get_form (self, function);
  Taps *taps;

  if (rank > ACC_FUNCTION_MAX_TAP_RANK)
    return acc_function_find_taps (function, param, sizes, rank);

  if (form->taps == NULL)
    form->taps = g_new0 (Taps, function->n_params);
  taps = &form->taps[param];
  if (taps->found.n == 0 || taps->rank != rank || memcmp (taps->sizes, sizes, rank * sizeof (gint64)) != 0)
    {
      taps->found = acc_function_find_taps (function, param, sizes, rank);
      taps->rank = rank;
      memcpy (taps->sizes, sizes, rank * sizeof (gint64));
    }

  return taps->found;
}
