/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-numbering-private.h"

static _Thread_local GPtrArray *current;

AccNumbering
acc_numbering_begin_again (GPtrArray *numbers)
{
  AccNumbering self = { current };

  current = numbers != NULL ? g_ptr_array_ref (numbers) : NULL;

  return self;
}

AccNumbering
acc_numbering_begin (AccArray *number)
{
  g_autoptr(GPtrArray) numbers = number != NULL ? g_ptr_array_new_with_free_func (g_object_unref) : NULL;

  for (guint i = 0; number != NULL && current != NULL && i < current->len; i++)
    g_ptr_array_add (numbers, g_object_ref (g_ptr_array_index (current, i)));
  if (number != NULL)
    g_ptr_array_add (numbers, g_object_ref (number));

  return acc_numbering_begin_again (numbers);
}

void
acc_numbering_end (AccNumbering *self)
{
  g_clear_pointer (&current, g_ptr_array_unref);
  current = self->before;
}

GPtrArray *
acc_numbering_get_numbers (void)
{
  return current;
}
