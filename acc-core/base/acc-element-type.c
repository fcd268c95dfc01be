/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-element-type-private.h"

#include <string.h>

/**
 * AccElementType:
 *
 * Represents the type of an array's elements: a scalar, a complex number, a vector of a few scalars, or a tuple of types.
 *
 * Element types are interned and live as long as the process: equal types are equal pointers. Any thread may use them.
 *
 * Tuples are stored as a struct of arrays: every scalar, complex number and vector in them has a buffer of its own. Complex numbers
 * and vectors are packed: their scalars lie side by side in one buffer, as in C99, NumPy and FFTW.
 */

/* Types live for ever. */
#define MAX_CODE (1 << 20)

struct _AccElementType {
  AccElementKind   kind;
  char            *code;
  guint            n_items;
  AccElementType **items;
  guint            n_leaves;
  AccLeafPlace    *leaves;
  guint            n_buffers;
  AccElementType **buffers;
  gsize            size;
  guint            depth;
};

G_DEFINE_BOXED_TYPE (AccElementType, acc_element_type, acc_element_type_ref, acc_element_type_unref)

static GHashTable *interned;    /* code to type */
static GMutex      interned_lock;

static void
lay_out_tuple (AccElementType *self)
{
  guint leaf = 0, buffer = 0;

  for (guint i = 0; i < self->n_items; i++)
    {
      self->n_leaves += self->items[i]->n_leaves;
      self->n_buffers += self->items[i]->n_buffers;
      self->size += self->items[i]->size;
      self->depth = MAX (self->depth, self->items[i]->depth + 1);
    }

  self->leaves = g_new (AccLeafPlace, MAX (self->n_leaves, 1));
  self->buffers = g_new (AccElementType *, MAX (self->n_buffers, 1));
  for (guint i = 0; i < self->n_items; i++)
    {
      const AccElementType *item = self->items[i];

      for (guint k = 0; k < item->n_leaves; k++)
        {
          self->leaves[leaf] = item->leaves[k];
          self->leaves[leaf++].buffer += buffer;
        }
      for (guint k = 0; k < item->n_buffers; k++)
        self->buffers[buffer++] = item->buffers[k];
    }
}

/* A scalar, or a packed type. */
static void
lay_out_buffer (AccElementType *self)
{
  AccElementKind component = self->n_items > 0 ? self->items[0]->kind : self->kind;

  self->n_leaves = MAX (self->n_items, 1);
  self->leaves = g_new (AccLeafPlace, self->n_leaves);
  for (guint i = 0; i < self->n_leaves; i++)
    self->leaves[i] = (AccLeafPlace) { .kind = component, .buffer = 0, .lane = i, .lanes = self->n_leaves };
  self->n_buffers = 1;
  self->buffers = g_memdup2 (&self, sizeof self);
  self->size = self->n_leaves * acc_element_kind_get_size (component);
}

/* Takes over @items, @code. The lock is held by this function. */
static AccElementType *
intern (AccElementKind   kind,
        char            *code,
        AccElementType **items,
        guint            n_items)
{
  g_mutex_lock (&interned_lock);

  if (interned == NULL)
    interned = g_hash_table_new (g_str_hash, g_str_equal);

  AccElementType *self = g_hash_table_lookup (interned, code);
  if (self != NULL)
    {
      g_mutex_unlock (&interned_lock);
      g_free (code);
      g_free (items);
      return self;
    }

  self = g_new0 (AccElementType, 1);
  self->kind = kind;
  self->code = code;
  self->items = items;
  self->n_items = n_items;

  if (kind == ACC_KIND_TUPLE)
    lay_out_tuple (self);
  else
    lay_out_buffer (self);

  g_hash_table_insert (interned, self->code, self);
  g_mutex_unlock (&interned_lock);
  return self;
}

/**
 * acc_element_type_new:
 * @kind: a scalar kind
 *
 * Returns the scalar type of a kind.
 *
 * Returns: (transfer full): the type
 */
AccElementType *
acc_element_type_new (AccElementKind kind)
{
  static AccElementType *scalars[ACC_KIND_TUPLE];

  g_return_val_if_fail ((guint) kind < ACC_KIND_TUPLE, NULL);

  AccElementType *self = g_atomic_pointer_get (&scalars[kind]);
  if (self == NULL)
    {
      self = intern (kind, g_strdup (acc_element_kind_get_code (kind)), NULL, 0);
      g_atomic_pointer_set (&scalars[kind], self);
    }
  return self;
}

/**
 * acc_element_type_new_tuple:
 * @items: (array length=n_items) (nullable): the types of the items
 * @n_items: the number of items
 *
 * Returns the type of tuples with the given items.
 *
 * No items give the unit type "()".
 *
 * Returns: (transfer full) (nullable): the type; %NULL where tuples would nest deeper than 256 levels, or the code would be longer
 *   than 2^20 characters
 */
AccElementType *
acc_element_type_new_tuple (AccElementType **items,
                            guint            n_items)
{
  g_autoptr(GString) code = g_string_new ("(");

  g_return_val_if_fail (n_items == 0 || items != NULL, NULL);

  for (guint i = 0; i < n_items; i++)
    {
      g_return_val_if_fail (items[i] != NULL, NULL);

      if (items[i]->depth >= ACC_ELEMENT_TYPE_MAX_DEPTH || code->len > MAX_CODE)
        return NULL;
      g_string_append (code, items[i]->code);
      if (i + 1 < n_items || n_items == 1)
        g_string_append_c (code, ',');
    }
  g_string_append_c (code, ')');
  if (code->len > MAX_CODE)
    return NULL;

  return intern (ACC_KIND_TUPLE, g_string_free (g_steal_pointer (&code), FALSE), g_memdup2 (items, n_items * sizeof *items), n_items);
}

static AccElementType *
new_packed (AccElementKind  kind,
            AccElementKind  component,
            guint           n,
            char           *code)
{
  AccElementType **items = g_new (AccElementType *, n);

  for (guint i = 0; i < n; i++)
    items[i] = acc_element_type_new (component);
  return intern (kind, code, items, n);
}

/**
 * acc_element_type_new_complex:
 * @component: a float kind
 *
 * Returns the type of complex numbers with parts of a float kind.
 *
 * The parts lie side by side in memory, the real part first. The type is "c8" for %ACC_KIND_F32, "c16" for %ACC_KIND_F64 and "c4" for
 * %ACC_KIND_F16.
 *
 * Returns: (transfer full): the type
 */
AccElementType *
acc_element_type_new_complex (AccElementKind component)
{
  g_return_val_if_fail (acc_element_kind_is_float (component), NULL);

  return new_packed (ACC_KIND_COMPLEX, component, 2, g_strdup_printf ("c%u", 2 * (guint) acc_element_kind_get_size (component)));
}

/**
 * acc_element_type_new_vector:
 * @component: a scalar kind
 * @n: the number of scalars, from 1 to %ACC_MAX_LANES
 *
 * Returns the type of short vectors of scalars of one kind.
 *
 * The scalars lie side by side in memory. The type of four %ACC_KIND_F32 is "4f4".
 *
 * Returns: (transfer full): the type
 */
AccElementType *
acc_element_type_new_vector (AccElementKind component,
                             guint          n)
{
  g_return_val_if_fail ((guint) component < ACC_KIND_TUPLE, NULL);
  g_return_val_if_fail (n >= 1 && n <= ACC_MAX_LANES, NULL);

  return new_packed (ACC_KIND_VECTOR, component, n, g_strdup_printf ("%u%s", n, acc_element_kind_get_code (component)));
}

/**
 * acc_element_type_ref:
 * @self: a type
 *
 * Returns the same type, which needs no reference.
 *
 * Types are never freed; the function is there for language bindings.
 *
 * Returns: (transfer full): @self
 */
AccElementType *
acc_element_type_ref (AccElementType *self)
{
  return self;
}

/**
 * acc_element_type_unref:
 * @self: (transfer full): a type
 *
 * Releases a reference to a type, which frees nothing.
 *
 * Types are never freed; the function is there for language bindings.
 */
void
acc_element_type_unref (AccElementType *self)
{
}

/**
 * acc_element_type_get_kind:
 * @self: a type
 *
 * Returns the kind of a type.
 *
 * Returns: %ACC_KIND_TUPLE for tuples, %ACC_KIND_COMPLEX for complex numbers, %ACC_KIND_VECTOR for vectors, else the kind of the
 *   scalar
 */
AccElementKind
acc_element_type_get_kind (AccElementType *self)
{
  return self->kind;
}

/**
 * acc_element_type_get_code:
 * @self: a type
 *
 * Returns the code of a type, as acc_element_type_parse() reads it.
 *
 * Returns: (transfer none): the code
 */
const char *
acc_element_type_get_code (AccElementType *self)
{
  return self->code;
}

/**
 * acc_element_type_is_scalar:
 * @self: a type
 *
 * Tells whether a type is a scalar: a bool, an integer or a float.
 *
 * Returns: %TRUE for a scalar; %FALSE for a tuple or a packed type
 */
gboolean
acc_element_type_is_scalar (AccElementType *self)
{
  return self->kind < ACC_KIND_TUPLE;
}

/**
 * acc_element_type_is_packed:
 * @self: a type
 *
 * Tells whether a type is packed: a complex number or a vector, whose scalars lie side by side in memory.
 *
 * Returns: %TRUE for a packed type
 */
gboolean
acc_element_type_is_packed (AccElementType *self)
{
  return self->kind > ACC_KIND_TUPLE;
}

/**
 * acc_element_type_is_tuple:
 * @self: a type
 *
 * Tells whether a type is a tuple.
 *
 * Returns: %TRUE for a tuple type
 */
gboolean
acc_element_type_is_tuple (AccElementType *self)
{
  return self->kind == ACC_KIND_TUPLE;
}

/**
 * acc_element_type_get_n_items:
 * @self: a type
 *
 * Returns the number of items of a type.
 *
 * Returns: the number of items of a tuple type, or of scalars in a packed one; 0 for a scalar
 */
guint
acc_element_type_get_n_items (AccElementType *self)
{
  return self->n_items;
}

/**
 * acc_element_type_get_item:
 * @self: a tuple or packed type
 * @item: the position of the item, below their number
 *
 * Returns the type of one item of a tuple or packed type.
 *
 * Returns: (transfer none): the item's type
 */
AccElementType *
acc_element_type_get_item (AccElementType *self,
                           guint           item)
{
  g_return_val_if_fail (item < self->n_items, NULL);
  return self->items[item];
}

/**
 * acc_element_type_get_n_leaves:
 * @self: a type
 *
 * Returns the number of scalars in a type, those of nested types included.
 *
 * Returns: the number of scalars; 1 for a scalar
 */
guint
acc_element_type_get_n_leaves (AccElementType *self)
{
  return self->n_leaves;
}

/**
 * acc_element_type_get_leaf:
 * @self: a type
 * @leaf: the position of the scalar, from left to right, nested ones included
 *
 * Returns the kind of one of the scalars in a type.
 *
 * Returns: the scalar's kind
 */
AccElementKind
acc_element_type_get_leaf (AccElementType *self,
                           guint           leaf)
{
  g_return_val_if_fail (leaf < self->n_leaves, ACC_KIND_BOOL);
  return self->leaves[leaf].kind;
}

const AccLeafPlace *
acc_element_type_locate (AccElementType *self,
                         guint           leaf)
{
  return &self->leaves[leaf];
}

guint
acc_element_type_get_first_leaf (AccElementType *self,
                                 guint           item)
{
  guint leaf = 0;

  for (guint i = 0; i < MIN (item, self->n_items); i++)
    leaf += self->items[i]->n_leaves;
  return leaf;
}

AccElementType *
acc_element_type_get_sum_type (AccElementType *self)
{
  return acc_element_type_get_kind (self) == ACC_KIND_F16 ? acc_element_type_new (ACC_KIND_F32) : self;
}

guint
acc_element_type_get_first_buffer (AccElementType *self,
                                   guint           item)
{
  guint buffer = 0;

  for (guint i = 0; i < MIN (item, self->n_items); i++)
    buffer += self->items[i]->n_buffers;
  return buffer;
}

gsize
acc_element_type_get_buffer_size (AccElementType *self,
                                  guint           buffer)
{
  return self->buffers[buffer]->size;
}

gsize
acc_element_type_get_widest (AccElementType *self)
{
  gsize widest = 1;

  for (guint i = 0; i < self->n_buffers; i++)
    widest = MAX (widest, self->buffers[i]->size);
  return widest;
}

gboolean
acc_element_type_is_exact (AccElementType *self)
{
  for (guint i = 0; i < acc_element_type_get_n_leaves (self); i++)
    if (acc_element_kind_is_float (acc_element_type_get_leaf (self, i)))
      return FALSE;

  return TRUE;
}

/**
 * acc_element_type_get_n_buffers:
 * @self: a type
 *
 * Returns the number of buffers that an array of a type has.
 *
 * Each scalar, complex number and vector has one, those of nested types included.
 *
 * Returns: the number of buffers
 */
guint
acc_element_type_get_n_buffers (AccElementType *self)
{
  return self->n_buffers;
}

/**
 * acc_element_type_get_buffer:
 * @self: a type
 * @buffer: the position of the buffer, from left to right
 *
 * Returns the type of the elements in one of the buffers of a type.
 *
 * It is a scalar or packed type, and its size is the distance in bytes from one element to the next. The buffers of "(c8,u1)" have
 * "c8" and "u1".
 *
 * Returns: (transfer none): the type
 */
AccElementType *
acc_element_type_get_buffer (AccElementType *self,
                             guint           buffer)
{
  g_return_val_if_fail (buffer < self->n_buffers, NULL);
  return self->buffers[buffer];
}

/**
 * acc_element_type_get_size:
 * @self: a type
 *
 * Returns the size of one element in bytes.
 *
 * Returns: the sum of the sizes of its scalars, without padding
 */
gsize
acc_element_type_get_size (AccElementType *self)
{
  return self->size;
}
