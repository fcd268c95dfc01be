/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-driver.h"

static gboolean
open_library (AccDriver  *self,
              GError    **error)
{
  self->module = g_module_open (self->library, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (self->module == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "no %s: %s", self->what, g_module_error ());
      return FALSE;
    }
  g_module_make_resident (self->module);

  return TRUE;
}

gboolean
acc_driver_start (AccDriver  *self,
                  gboolean  (*start) (AccDriver *self, GError **error),
                  GError    **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!self->is_tried && open_library (self, &self->failure))
    start (self, &self->failure);
  self->is_tried = TRUE;
  if (self->failure != NULL && error != NULL)
    *error = g_error_copy (self->failure);

  return self->failure == NULL;
}

gboolean
acc_driver_look_up (AccDriver   *self,
                    const char  *name,
                    gpointer    *function,
                    GError     **error)
{
  if (g_module_symbol (self->module, name, function))
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "the %s is too old: %s has no %s", self->what, self->library, name);

  return FALSE;
}
