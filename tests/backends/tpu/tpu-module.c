/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tpu.h"

#include "acc-backends/pjrt/acc-pjrt-run.h"
#include "acc-backends/xla/acc-xla-backend.h"

#include "acc-module-abi.h"

ACC_DEFINE_BACKEND_MODULE_ABI

/* TPUs without a TPU, as a module for tests that know backends by name: each module is compiled for a TPU, ahead of time, and then, as it
 * is, by the PJRT plugin of the process, which runs it. What libtpu refuses is an error of the run. */

static AccXlaEngineClass engine_class;
static const AccXlaEngineClass *parent_class;

static gpointer
compile (AccXlaEngine       *engine,
         const AccHloModule *module,
         const char         *what,
         GError            **error)
{
  g_autoptr(GError) refused = NULL;

  if (tpu_compile (module->text, what, &refused))
    return parent_class->compile (engine, module, what, error);

  g_printerr ("%s%s\n", module->text, refused->message);
  g_propagate_error (error, g_steal_pointer (&refused));

  return NULL;
}

/* Modules are those that a TPU would get. */
static AccXlaEngine *
engine_open (const char  *device,
             GError     **error)
{
  AccXlaEngine *engine = tpu_open (error) ? acc_pjrt_engine_open (device, error) : NULL;

  if (engine == NULL)
    return NULL;

  parent_class = engine->klass;
  engine_class = *parent_class;
  engine_class.compile = compile;
  engine->klass = &engine_class;
  engine->keeps_order = engine->is_shaped = FALSE;
  engine->is_narrow = engine->stores_gathered = TRUE;

  return engine;
}

GType
acc_backend_module_get_type (void)
{
  return acc_xla_backend_register ("AccTpu", "tpu", engine_open);
}
