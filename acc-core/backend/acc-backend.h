/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-program.h"

G_BEGIN_DECLS

#define ACC_TYPE_BACKEND (acc_backend_get_type ())

/* One device. Any thread. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AccBackend, acc_backend, ACC, BACKEND, GObject)

struct _AccBackendClass
{
  GObjectClass parent_class;

  /*< private >*/
  AccExecutable *(*compile) (AccBackend *self, AccProgram *program, GCancellable *cancellable, GError **error);
  /* Bulk memory for chunks, from the backend's pool, counted against its limit: an AccBuffer, see acc-module.h */
  gpointer       (*allocate) (AccBackend *self, gsize size, const char *what, GError **error);
  /* Of the class: what may follow the colon of the name, NULL-terminated, owned by the caller; NULL for none. */
  char         **(*list_devices) (AccBackendClass *klass);
  /* Of the class: a program of known extents in a form of others, an AccExportForm, see acc-module.h. With @other, the same for another
   * length of the open extents, what holds for any. */
  GBytes        *(*export_program) (AccBackendClass *klass, AccProgram *program, AccProgram *other, guint form, gboolean fast_math,
                                    GError **error);
  /* Not zero: its executables keep plans, so that it pays to run equal graphs by one of them. */
  gsize          keeps_plans;
  /* Begins to bring the bytes of an AccBuffer to where runs will want them, where that takes room from nothing; NULL: they are there. */
  void           (*send_ahead) (AccBackend *self, gpointer buffer);
  /* Not zero: it folds segments by operations that this is composed of. */
  gsize          composes_segments;

  gpointer padding[9];
};

/* ACC_BACKEND names it, else "native", else "interpreter". The same object each time. */
ACC_AVAILABLE_IN_1_0
AccBackend *acc_backend_get_default      (GError **error);
ACC_AVAILABLE_IN_1_0
AccBackend *acc_backend_new_for_name     (const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (element-type AccBackendInfo): every backend known, the absent ones too, with the reason */
ACC_AVAILABLE_IN_1_0
GListModel *acc_backend_list             (void) G_GNUC_WARN_UNUSED_RESULT;
/* For languages that end before the process does */
ACC_AVAILABLE_IN_1_0
void        acc_backend_end_work         (void);
ACC_AVAILABLE_IN_1_0
const char *acc_backend_get_name         (AccBackend *self);
ACC_AVAILABLE_IN_1_0
const char *acc_backend_get_description  (AccBackend *self);
ACC_AVAILABLE_IN_1_0
guint       acc_backend_get_n_threads    (AccBackend *self);
/* Bytes of array data that may be held at once: arrays, chunks, intermediates. Default: a quarter of what the machine
 * or its cgroup has, or ACC_MEMORY_LIMIT. 0: no limit */
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_memory_limit (AccBackend *self);
ACC_AVAILABLE_IN_1_0
void        acc_backend_set_memory_limit (AccBackend *self, guint64 limit);
/* Of the host's memory alone, for arrays of a device that has its own; else the same limit */
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_host_memory_limit (AccBackend *self);
ACC_AVAILABLE_IN_1_0
void        acc_backend_set_host_memory_limit (AccBackend *self, guint64 limit);
/* Of files for what has no room in memory: where, and how large they may be together; 0: as the disk allows */
ACC_AVAILABLE_IN_1_0
char       *acc_backend_dup_temporary_folder (AccBackend *self);
ACC_AVAILABLE_IN_1_0
void        acc_backend_set_temporary_folder (AccBackend *self, const char *folder);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_temporary_quota  (AccBackend *self);
ACC_AVAILABLE_IN_1_0
void        acc_backend_set_temporary_quota  (AccBackend *self, guint64 quota);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_temporary_used   (AccBackend *self);
ACC_AVAILABLE_IN_1_0
gboolean    acc_backend_get_fast_math    (AccBackend *self);
ACC_AVAILABLE_IN_1_0
void        acc_backend_set_fast_math    (AccBackend *self, gboolean fast_math);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_memory_used  (AccBackend *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_memory_high_water (AccBackend *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_get_host_memory_used (AccBackend *self);

ACC_AVAILABLE_IN_1_0
AccExecutable *acc_backend_compile        (AccBackend *self, AccProgram *program, GCancellable *cancellable,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
ACC_AVAILABLE_IN_1_0
void           acc_backend_compile_async  (AccBackend *self, AccProgram *program, GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);
ACC_AVAILABLE_IN_1_0
AccExecutable *acc_backend_compile_finish (AccBackend *self, GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#define ACC_TYPE_BACKEND_INFO (acc_backend_info_get_type ())

/* A backend as acc_backend_list() knows it: present or absent. */
ACC_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AccBackendInfo, acc_backend_info, ACC, BACKEND_INFO, GObject)

ACC_AVAILABLE_IN_1_0
const char *acc_backend_info_get_name        (AccBackendInfo *self);
ACC_AVAILABLE_IN_1_0
const char *acc_backend_info_get_description (AccBackendInfo *self);
/* NULL where it is present */
ACC_AVAILABLE_IN_1_0
const char *acc_backend_info_get_reason      (AccBackendInfo *self);
ACC_AVAILABLE_IN_1_0
guint64     acc_backend_info_get_memory      (AccBackendInfo *self);
ACC_AVAILABLE_IN_1_0
guint       acc_backend_info_get_n_threads   (AccBackendInfo *self);

G_END_DECLS
