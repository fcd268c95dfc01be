/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device.h"

#include "acc-core/backend/acc-backend-private.h"

#define MAX_ELEMENTS ((gint64) 1 << 31)
#define MAX_NUMBER   ((gint64) 1 << 30)
#define WIDEST       16   /* bytes of an access */

void
acc_device_tell_emitted (AccKernel *kernel,
                         gint64     start)
{
  if (acc_debug_get_flags () & ACC_DEBUG_CACHE)
    g_message ("kernel cache: emitted %s in %.1f ms", acc_kernel_get_name (kernel), (double) (g_get_monotonic_time () - start) / 1000);
}

gboolean
acc_device_is_small_launch (const AccDeviceSlot *slots,
                            const guint8        *kinds,
                            guint                n_slots,
                            const AccGroups     *groups)
{
  for (guint d = 0; d < 2; d++)
    if (groups->begin[d] < 0 || groups->end[d] > MAX_NUMBER || groups->begin[d] > MAX_NUMBER)
      return FALSE;

  for (guint i = 0; i < n_slots; i++)
    {
      const AccDeviceMemory *memory = slots[i].memory;

      if (memory == NULL)
        {
          gint64 number = (gint64) slots[i].bits;

          if (kinds[i] == ACC_KIND_I64 && (number > MAX_NUMBER || number < -MAX_NUMBER))
            return FALSE;
          continue;
        }
      if ((memory->address + (guint64) slots[i].offset) % WIDEST != 0)
        return FALSE;
      if (((gint64) memory->size - slots[i].offset) / (gint64) acc_element_kind_get_size (kinds[i]) >= MAX_ELEMENTS)
        return FALSE;
    }

  return TRUE;
}
