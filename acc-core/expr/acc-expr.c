/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-error.h"
#include "acc-expr-build-private.h"

#include <string.h>

/**
 * AccExpr:
 *
 * Represents the computation of one element: a scalar expression.
 *
 * Expressions are immutable and counted. A new one is floating, and its first owner takes it over, so that they nest without
 * temporaries, as with [struct@GLib.Variant]. A floating expression may be given to several constructors: it lives at least as long as
 * the expressions that they return. An expression used twice is evaluated once.
 *
 * Literals made by [func@Expr.new_int] and [func@Expr.new_float], tuples of them and choices between them have no type of their own.
 * They take the type of the operands that they are used with, where it can hold them, else i8 and f8.
 *
 * Arithmetic and elementary functions take complex numbers of one type, too, and vectors of one type item by item. An untyped literal
 * next to a complex number is a real one, and next to a vector it is broadcast to a vector; acc_expr_cast() converts other scalars.
 *
 * A mistake makes an expression carry an error, and so does every expression that uses it. [method@Expr.check] returns the error, and
 * an array built from the expression carries it on.
 *
 * Each function says which types of operands it takes. An operand of another type, and operands of two different types where it takes those
 * of one, give an expression with %ACC_ERROR_TYPE.
 *
 * Any thread may use expressions.
 */

G_DEFINE_BOXED_TYPE (AccExpr, acc_expr, acc_expr_ref_sink, acc_expr_unref)

AccExpr *
_acc_expr_alloc (AccExprKind     kind,
                 AccElementType *type,
                 guint           n_args)
{
  AccExpr *self = g_malloc0 (sizeof *self + n_args * sizeof self->args[0]);

  g_atomic_ref_count_init (&self->ref_count);
  self->floating = 1;
  self->kind = kind;
  self->type = type;
  self->n_args = n_args;
  return self;
}

gboolean
_acc_expr_is_error (AccExpr *expr)
{
  return expr->kind == ACC_EXPR_ERROR;
}

const char *
_acc_expr_code (AccExpr *expr)
{
  return acc_element_type_get_code (expr->type);
}

/* It may be shared, and its other owners may drop it before the caller takes a reference. */
AccExpr *
_acc_expr_float (AccExpr *expr)
{
  if (!g_atomic_int_compare_and_exchange (&expr->floating, 0, 1))
    acc_expr_unref (expr);
  return expr;
}

AccExpr *
_acc_expr_seal (AccExpr *self)
{
  gboolean reads = self->array != NULL, keeps = FALSE;

  for (guint i = 0; i < self->n_args; i++)
    {
      reads |= self->args[i]->reads;
      keeps |= self->args[i]->keeps;
    }
  for (guint i = 0; i < G_N_ELEMENTS (self->functions); i++)
    if (self->functions[i] != NULL)
      {
        reads |= self->functions[i]->arrays->len > 0;
        keeps |= self->functions[i]->body->keeps;
      }
  self->reads = reads;
  self->keeps = keeps;
  return self;
}

void
_acc_expr_drop (AccExpr **args,
                guint     n_args)
{
  for (guint i = 0; i < n_args; i++)
    if (args[i] != NULL)
      acc_expr_unref (args[i]);
}

/* Whether there are owners of @expr beside @args, which it is among. */
static gboolean
is_held (AccExpr  *expr,
         AccExpr **args,
         guint     n_args)
{
  gint own = 0;

  for (guint i = 0; i < n_args; i++)
    own += args[i] == expr;
  return g_atomic_int_get (&expr->ref_count) > own;
}

void
_acc_expr_remember (AccExpr  *made,
                    AccExpr **exprs,
                    guint     n)
{
  AccExpr *holder;

  made->keeps = TRUE;
  if (n == 1 && made->origin == NULL)
    {
      made->origin = exprs[0];
      return;
    }

  holder = _acc_expr_alloc (ACC_EXPR_TUPLE, NULL, n + (made->origin != NULL));
  holder->floating = 0;
  memcpy (holder->args, exprs, n * sizeof *exprs);
  if (made->origin != NULL)
    holder->args[n] = made->origin;
  made->origin = holder;
}

AccExpr *
_acc_expr_keep (AccExpr  *result,
                AccExpr **args,
                guint     n_args)
{
  g_autoptr(GPtrArray) kept = g_ptr_array_new ();
  gboolean fresh = g_atomic_int_get (&result->ref_count) == 1;

  for (guint i = 0; i < n_args; i++)
    if (args[i] != NULL && (_acc_expr_is_error (result) || !is_held (args[i], args, n_args)))
      g_ptr_array_add (kept, acc_expr_ref (args[i]));
  _acc_expr_drop (args, n_args);

  if (kept->len == 0)
    return result;

  if (fresh)
    {
      _acc_expr_remember (result, (AccExpr **) kept->pdata, kept->len);
      return result;
    }

  /* An old expression cannot keep others: an item of a tuple can. */
  g_ptr_array_insert (kept, 0, result);
  result = acc_expr_item (acc_expr_tuple ((AccExpr **) kept->pdata, kept->len), 0);
  _acc_expr_drop ((AccExpr **) kept->pdata + 1, kept->len - 1);
  return result;
}

AccExpr *
_acc_expr_fail (AccExpr  *error_expr,
                AccExpr **args,
                guint     n_args)
{
  return _acc_expr_keep (acc_expr_new_error (g_error_copy (error_expr->error)), args, n_args);
}

AccExpr *
_acc_expr_adopt (const char  *what,
                 AccExpr    **args,
                 guint        n_args)
{
  for (guint i = 0; i < n_args; i++)
    if (args[i] != NULL)
      acc_expr_ref_sink (args[i]);

  for (guint i = 0; i < n_args; i++)
    if (args[i] == NULL)
      return _acc_expr_keep (acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "%s: operand %u is missing", what, i + 1), args, n_args);
    else if (_acc_expr_is_error (args[i]))
      return _acc_expr_fail (args[i], args, n_args);
  return NULL;
}

AccExpr *
acc_expr_new_variable (AccElementType *type)
{
  return _acc_expr_alloc (ACC_EXPR_VARIABLE, type, 0);
}

AccExpr *
acc_expr_new_error (GError *error)
{
  AccExpr *self = _acc_expr_alloc (ACC_EXPR_ERROR, NULL, 0);

  self->error = error;
  return self;
}

AccExpr *
acc_expr_new_error_literal (AccError    code,
                            const char *format,
                            ...)
{
  va_list args;

  va_start (args, format);
  GError *error = g_error_new_valist (ACC_ERROR, code, format, args);
  va_end (args);
  return acc_expr_new_error (error);
}

/**
 * acc_expr_ref: (skip)
 * @self: an expression
 *
 * Adds a reference to an expression; a floating one stays floating.
 *
 * Returns: (transfer full): @self
 */
AccExpr *
acc_expr_ref (AccExpr *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * acc_expr_ref_sink:
 * @self: an expression
 *
 * Takes over a floating expression, or adds a reference to one that is owned.
 *
 * Returns: (transfer full): @self
 */
AccExpr *
acc_expr_ref_sink (AccExpr *self)
{
  if (!g_atomic_int_compare_and_exchange (&self->floating, 1, 0))
    g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/* Deep graphs must not be freed by recursion: objects that die while another is being freed are queued. So are those that die in a
 * callback: a language's wrapper around its result may be gone before the result is taken. */
typedef struct {
  GPtrArray *exprs;
  guint      n_callbacks;   /* that run, one inside the other */
} Dying;

static GPrivate dying = G_PRIVATE_INIT (NULL);

static Dying *
begin_dying (void)
{
  Dying *self = g_private_get (&dying);

  if (self == NULL)
    {
      self = g_new0 (Dying, 1);
      self->exprs = g_ptr_array_new ();
      g_private_set (&dying, self);
    }
  return self;
}

static void
free_contents (AccExpr *self)
{
  for (guint i = 0; i < self->n_args; i++)
    if (self->args[i] != NULL)
      acc_expr_unref (self->args[i]);
  for (guint i = 0; i < G_N_ELEMENTS (self->functions); i++)
    g_clear_pointer (&self->functions[i], acc_function_unref);
  g_clear_pointer (&self->origin, acc_expr_unref);
  g_clear_object (&self->array);
  g_clear_error (&self->error);
  g_free (self);
}

static void
end_dying (Dying *self)
{
  while (self->exprs->len > 0)
    free_contents (g_ptr_array_steal_index_fast (self->exprs, self->exprs->len - 1));
  g_private_set (&dying, NULL);
  g_ptr_array_unref (self->exprs);
  g_free (self);
}

/**
 * acc_expr_unref:
 * @self: (transfer full): an expression
 *
 * Releases a reference to an expression, and frees it with the last one.
 */
void
acc_expr_unref (AccExpr *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  Dying *others = g_private_get (&dying);
  gboolean is_leaf = self->n_args == 0 && self->array == NULL && self->functions[0] == NULL && self->origin == NULL;

  if (is_leaf && (others == NULL || others->n_callbacks == 0))
    {
      free_contents (self);
      return;
    }
  if (others != NULL)
    {
      g_ptr_array_add (others->exprs, self);
      return;
    }

  others = begin_dying ();
  g_ptr_array_add (others->exprs, self);
  end_dying (others);
}

/**
 * acc_expr_get_element_type:
 * @self: an expression
 *
 * Returns the element type of an expression.
 *
 * Returns: (transfer none) (nullable): the type, or %NULL where the expression carries an error
 */
AccElementType *
acc_expr_get_element_type (AccExpr *self)
{
  return self->type;
}

/**
 * acc_expr_check:
 * @self: an expression
 * @error: a return location
 *
 * Checks whether an expression is valid.
 *
 * Fails with the first mistake that was made while it was built.
 *
 * Returns: %TRUE where it is valid; %FALSE with @error set where it carries an error
 */
gboolean
acc_expr_check (AccExpr  *self,
                GError  **error)
{
  if (self->error == NULL)
    return TRUE;

  g_propagate_error (error, g_error_copy (self->error));
  return FALSE;
}

const GError *
acc_expr_get_error (AccExpr *self)
{
  return self->error;
}

void
acc_expr_enter_callback (void)
{
  begin_dying ()->n_callbacks++;
}

AccExpr *
acc_expr_leave_callback (AccExpr *result)
{
  Dying *dead = begin_dying ();

  if (result == NULL)
    result = acc_expr_ref_sink (acc_expr_new_error_literal (ACC_ERROR_CALLBACK, "the function returned nothing"));
  else if (g_atomic_int_get (&result->ref_count) > 0)
    acc_expr_ref_sink (result);
  else
    {
      g_ptr_array_remove_fast (dead->exprs, result);
      g_atomic_ref_count_init (&result->ref_count);
    }

  if (--dead->n_callbacks == 0)
    end_dying (dead);
  return result;
}

AccElementType *
acc_index_type (guint rank)
{
  AccElementType *i64 = acc_element_type_new (ACC_KIND_I64);
  g_autofree AccElementType **items = NULL;

  if (rank == 1)
    return i64;

  items = g_new (AccElementType *, rank + 1);
  for (guint i = 0; i < rank; i++)
    items[i] = i64;
  return acc_element_type_new_tuple (items, rank);
}
