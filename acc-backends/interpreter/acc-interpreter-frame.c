/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-interpreter-frame.h"

#include <string.h>

#include "acc-error.h"

#define TICKS 65536

InterpFrame *
interp_frame_new (const InterpTape *tape,
                  AccArray         *origin,
                  gboolean          checks,
                  GCancellable    **cancellable)
{
  InterpFrame *self = g_new0 (InterpFrame, 1);
  guint n_arrays = tape->function->arrays->len;

  self->tape = tape;
  self->origin = origin;
  self->checks = checks;
  self->cancellable = cancellable;
  self->registers = g_memdup2 (tape->initial, tape->n_registers * sizeof (AccScalar));
  self->flags = g_new0 (guint8, MAX (tape->n_flags, 1));
  /* No block runs inside itself. */
  self->stack = g_new0 (guint32, tape->n_blocks + 1);
  self->arrays = g_new0 (InterpValue *, MAX (n_arrays, 1));
  self->extents = g_new0 (gint64 *, MAX (n_arrays, 1));
  return self;
}

void
interp_frame_free (InterpFrame *self)
{
  g_free (self->registers);
  g_free (self->flags);
  g_free (self->stack);
  g_free (self->arrays);
  g_free (self->extents);
  g_free (self);
}

static void
append_index (GString      *text,
              const gint64 *index,
              guint         rank)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", index[i]);
  g_string_append_c (text, ']');
}

void
interp_set_bounds_error (GError       **error,
                         AccArray      *origin,
                         AccArray      *array,
                         const gint64  *index,
                         const gint64  *extents,
                         guint          rank)
{
  g_autofree char *where = acc_array_describe (origin);
  g_autofree char *refused = rank == 1 ? acc_array_refuse_number (origin, index[0], TRUE) : NULL;
  g_autoptr(GString) text = g_string_new (where);

  if (refused != NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "%s: %s", where, refused);
      return;
    }
  g_string_append (text, ": index ");
  append_index (text, index, rank);
  g_string_append (text, " is outside the extents ");
  append_index (text, extents, rank);
  if (array != NULL && array != origin)
    {
      g_autofree char *what = acc_array_describe (array);

      g_string_append_printf (text, " of %s", what);
    }
  g_set_error_literal (error, ACC_ERROR, ACC_ERROR_BOUNDS, text->str);
}

static void
set_arithmetic_error (InterpFrame              *self,
                      const InterpInstruction  *n,
                      gboolean                  by_zero,
                      GError                  **error)
{
  g_autofree char *where = acc_array_describe (self->origin);

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "%s: %s in %s", where,
               by_zero ? "division by zero" : "minimum divided by -1",
               acc_primitive_get_info ((AccPrimitive) n->extra)->name);
}

static gboolean
read_array (InterpFrame              *self,
            const InterpInstruction  *n,
            GError                  **error)
{
  InterpValue *value = self->arrays[n->target];
  AccArray *array = g_ptr_array_index (self->tape->function->arrays, n->target);
  AccScalar *r = self->registers;
  gint64 linear = 0;

  if (n->code == INTERP_CODE_LINEAR_INDEX)
    {
      linear = r[n->a].i;
      if (linear < 0 || linear >= value->size)
        {
          interp_set_bounds_error (error, self->origin, array, &linear, &value->size, 1);
          return FALSE;
        }
    }
  else
    {
      const guint32 *operands = self->tape->operands + n->extra;

      for (guint i = 0; i < n->count; i++)
        {
          gint64 index = r[operands[i]].i;

          if (index < 0 || index >= value->extents[i])
            {
              g_autofree gint64 *full = g_new (gint64, n->count);

              for (guint k = 0; k < n->count; k++)
                full[k] = r[operands[k]].i;
              interp_set_bounds_error (error, self->origin, array, full, value->extents, n->count);
              return FALSE;
            }
          linear = linear * value->extents[i] + index;
        }
    }

  for (guint leaf = 0; leaf < value->n_leaves; leaf++)
    interp_value_load (value, leaf, linear, &r[n->d + leaf]);
  return TRUE;
}

static gboolean
is_cancelled (InterpFrame  *self,
              GError      **error)
{
  self->ticks = 0;

  return g_cancellable_set_error_if_cancelled (*self->cancellable, error);
}

static void
reset_flags (InterpFrame  *self,
             const GArray *list)
{
  for (guint i = 0; i < list->len; i++)
    self->flags[g_array_index (list, guint32, i)] = 0;
}

gboolean
interp_frame_run (InterpFrame  *self,
                  GError      **error)
{
  const InterpTape *tape = self->tape;
  const InterpInstruction *code = tape->instructions;
  AccScalar *r = self->registers;
  guint32 *stack = self->stack;
  guint depth = 0;
  guint32 at = 0;

  if (tape->n_flags > 0)
    memset (self->flags, 0, tape->n_flags);

  while (TRUE)
    {
      const InterpInstruction *n = &code[at++];

      switch ((InterpCode) n->code)
        {
        case INTERP_CODE_SCALAR:
          r[n->d] = n->function (r[n->a], r[n->b]);
          break;
        case INTERP_CODE_CAST:
          r[n->d] = acc_scalar_cast (n->target, n->extra, r[n->a]);
          break;
        case INTERP_CODE_BITCAST:
          r[n->d] = acc_scalar_bitcast (n->extra, r[n->a]);
          break;
        case INTERP_CODE_DIVIDE:
          if (self->checks && acc_primitive_fails (n->extra, n->target, r[n->a], r[n->b]))
            {
              set_arithmetic_error (self, n, r[n->b].u == 0, error);
              return FALSE;
            }
          r[n->d] = n->function (r[n->a], r[n->b]);
          break;
        case INTERP_CODE_MOVE:
          r[n->d] = r[n->a];
          break;
        case INTERP_CODE_FORCE:
          if (self->flags[n->d])
            break;
          self->flags[n->d] = 1;
          stack[depth++] = at;
          at = n->target;
          break;
        case INTERP_CODE_CALL:
          stack[depth++] = at;
          at = n->target;
          break;
        case INTERP_CODE_BRANCH:
          stack[depth++] = at;
          at = r[n->a].u ? n->target : n->extra;
          break;
        case INTERP_CODE_RETURN:
          if (depth == 0)
            return TRUE;
          at = stack[--depth];
          break;
        case INTERP_CODE_JUMP:
          if (++self->ticks >= TICKS && is_cancelled (self, error))
            return FALSE;
          at = n->target;
          break;
        case INTERP_CODE_JUMP_UNLESS:
          if (!r[n->a].u)
            at = n->target;
          break;
        case INTERP_CODE_RESET:
          reset_flags (self, tape->lists[n->target]);
          break;
        case INTERP_CODE_INDEX:
        case INTERP_CODE_LINEAR_INDEX:
          if (!read_array (self, n, error))
            return FALSE;
          break;
        case INTERP_CODE_EXTENT:
          r[n->d].i = self->extents[n->target][n->extra];
          break;
        }
    }
}
