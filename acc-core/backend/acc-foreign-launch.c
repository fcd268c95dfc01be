/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-foreign-private.h"

#include "acc-error.h"

/**
 * AccForeignLaunch:
 *
 * Represents one call of a function that computes where the elements are: in a device's memory, in the order of its queue.
 *
 * A call belongs to its thread, and lasts until the function returns.
 *
 * On `cuda`, addresses are those of device memory, the primary context is current, and the queue is the `CUstream` that the
 * backend's kernels run on. Work that the function enqueues there follows the work that computes the inputs, and precedes the
 * work that reads the result. Nothing waits.
 *
 * On backends that compute in the host's memory, addresses are host addresses, the queue is 0, and the work is done when the
 * function returns. Other devices have no addresses: they run the fallback.
 */

G_DEFINE_FINAL_TYPE (AccForeignLaunch, acc_foreign_launch, G_TYPE_OBJECT)

static void
acc_foreign_launch_finalize (GObject *object)
{
  AccForeignLaunch *self = ACC_FOREIGN_LAUNCH (object);

  g_clear_object (&self->result);
  g_free (self->addresses);

  G_OBJECT_CLASS (acc_foreign_launch_parent_class)->finalize (object);
}

static void
acc_foreign_launch_class_init (AccForeignLaunchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = acc_foreign_launch_finalize;
}

static void
acc_foreign_launch_init (AccForeignLaunch *self)
{
}

/* Of the first @n_inputs. */
static guint
count_buffers (AccForeignLaunch *self,
               guint             n_inputs)
{
  guint n = 0;

  for (guint i = 0; i < n_inputs; i++)
    n += acc_element_type_get_n_buffers (self->inputs[i]->type);

  return n;
}

AccForeignLaunch *
acc_foreign_launch_new (AccArray  *node,
                        AccArray **inputs,
                        gpointer   run,
                        gboolean (*begin) (AccForeignLaunch *self, AccShape *shape, GError **error))
{
  AccForeignLaunch *self = g_object_new (ACC_TYPE_FOREIGN_LAUNCH, NULL);

  self->begin = begin;
  self->run = run;
  self->node = node;
  self->inputs = inputs;
  acc_foreign_get_inputs (node, &self->n_inputs);
  self->addresses = g_new0 (guint64, count_buffers (self, self->n_inputs) + acc_element_type_get_n_buffers (node->type) + 1);

  return self;
}

/**
 * acc_foreign_launch_get_n_inputs:
 * @self: a call
 *
 * Returns the number of inputs of the operation.
 *
 * Returns: number of inputs
 */
guint
acc_foreign_launch_get_n_inputs (AccForeignLaunch *self)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self), 0);

  return self->n_inputs;
}

/**
 * acc_foreign_launch_get_input:
 * @self: a call
 * @input: which input, from 0
 *
 * Returns an input, for its type and extents. Asking the array for its elements transfers them to the host.
 *
 * Returns: (transfer none): the input
 */
AccArray *
acc_foreign_launch_get_input (AccForeignLaunch *self,
                              guint             input)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self) && input < self->n_inputs, NULL);

  return self->inputs[input];
}

static gboolean
check_result (AccForeignLaunch  *self,
              AccElementType    *type,
              AccShape          *shape,
              GError           **error)
{
  gsize bytes = acc_element_type_get_size (self->node->type);

  if (type != self->node->type)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_TYPE, "an array of %s where one of %s is needed", acc_element_type_get_code (type),
                   acc_element_type_get_code (self->node->type));
      return FALSE;
    }
  if (acc_shape_get_rank (shape) != self->node->rank)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "an array of rank %u where one of rank %u is needed", acc_shape_get_rank (shape),
                   self->node->rank);
      return FALSE;
    }
  if (self->node->shape != NULL && !acc_shape_equal (shape, self->node->shape))
    {
      g_autofree char *wanted = acc_shape_to_string (self->node->shape), *given = acc_shape_to_string (shape);

      g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "an array of %s where one of %s is needed", given, wanted);
      return FALSE;
    }
  for (guint i = 0; i < self->node->rank; i++)
    if (!g_size_checked_mul (&bytes, bytes, (gsize) MAX (acc_shape_get_extent (shape, i), 0)) || bytes > G_MAXINT64)
      {
        g_set_error (error, ACC_ERROR, ACC_ERROR_SHAPE, "the array has too many elements");
        return FALSE;
      }

  return TRUE;
}

/**
 * acc_foreign_launch_begin:
 * @self: a call that has not begun
 * @type: the type of the elements that the function writes
 * @shape: the extents of the result
 * @error: return location for an error
 *
 * Allocates the result, moves the inputs to where they are needed, and puts what the function enqueues after that.
 *
 * Call it once in each call, before you ask for addresses. The function checks its inputs itself.
 *
 * Fails with %ACC_ERROR_TYPE where the program expects another element type than @type, with %ACC_ERROR_SHAPE where it expects
 * another rank, or other extents that are known before it runs, and with %ACC_ERROR_OUT_OF_MEMORY where there is no memory for
 * the result. A program that names the operation may expect something else than the function computes: that is when the first
 * two come.
 *
 * Returns: %TRUE on success, %FALSE with @error set
 */
gboolean
acc_foreign_launch_begin (AccForeignLaunch  *self,
                          AccElementType    *type,
                          AccShape          *shape,
                          GError           **error)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self) && type != NULL && shape != NULL && self->result == NULL, FALSE);

  return check_result (self, type, shape, error) && self->begin (self, shape, error);
}

/**
 * acc_foreign_launch_get_input_address:
 * @self: a call that has begun
 * @input: which input, from 0
 * @buffer: which buffer of the input's element type, from 0
 *
 * Returns the address of the first element of an input, in device memory or in the host's. The function must not write there.
 *
 * Returns: the address of element 0
 */
guint64
acc_foreign_launch_get_input_address (AccForeignLaunch *self,
                                      guint             input,
                                      guint             buffer)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self) && self->result != NULL && input < self->n_inputs, 0);
  g_return_val_if_fail (buffer < acc_element_type_get_n_buffers (self->inputs[input]->type), 0);

  return self->addresses[count_buffers (self, input) + buffer];
}

/**
 * acc_foreign_launch_get_result_address:
 * @self: a call that has begun
 * @buffer: which buffer of the result's element type, from 0
 *
 * Returns the address of the first element of the result, in device memory or in the host's. The function must write all
 * elements.
 *
 * Returns: the address of element 0
 */
guint64
acc_foreign_launch_get_result_address (AccForeignLaunch *self,
                                       guint             buffer)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self) && self->result != NULL, 0);
  g_return_val_if_fail (buffer < acc_element_type_get_n_buffers (self->node->type), 0);

  return self->addresses[count_buffers (self, self->n_inputs) + buffer];
}

/**
 * acc_foreign_launch_get_queue:
 * @self: a call that has begun
 *
 * Returns the queue that the function enqueues its work on.
 *
 * Returns: a `CUstream` on `cuda`; 0 where the work is done when the function returns
 */
guint64
acc_foreign_launch_get_queue (AccForeignLaunch *self)
{
  g_return_val_if_fail (ACC_IS_FOREIGN_LAUNCH (self) && self->result != NULL, 0);

  return self->queue;
}
