/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-device-heap-private.h"

/* Large transfers of memory that is not pinned, through pinned memory. Any thread. */
AccDeviceStage *acc_device_stage_new      (AccQueue queue);
/* Nothing is on its way; @device: NULL where it is lost, and the memory stays. */
void            acc_device_stage_free     (AccDeviceStage *self, AccDevice *device);

/* Whether a transfer of @size bytes gains by it. */
gboolean        acc_device_stage_wants    (AccDevice *device, gsize size);
/* All of @to; @from may be used again at once. */
gboolean        acc_device_stage_upload   (AccDeviceStage *self, AccDeviceHeap *heap, AccDeviceBlock *to, gconstpointer from,
                                           gsize size, GError **error);
/* All of @from; all of it is there after. */
gboolean        acc_device_stage_download (AccDeviceStage *self, AccDeviceHeap *heap, gpointer to, AccDeviceBlock *from,
                                           gsize size, GError **error);
