/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* TensorFlow's C library, as far as it is called here: found at run time, once in a process. Any thread. */

typedef struct _TfStatus               TfStatus;
typedef struct _TfBuffer               TfBuffer;
typedef struct _TfTensor               TfTensor;
typedef struct _TfGraph                TfGraph;
typedef struct _TfOperation            TfOperation;
typedef struct _TfOperationDescription TfOperationDescription;
typedef struct _TfSession              TfSession;
typedef struct _TfSessionOptions       TfSessionOptions;

/* One output of an operation. */
typedef struct {
  TfOperation *operation;
  gint         index;
} TfOutput;

typedef enum {
  TF_CODE_OK = 0,
  TF_CODE_RESOURCE_EXHAUSTED = 8,
  TF_CODE_UNIMPLEMENTED = 12,
} TfCode;

typedef void (*TfDeallocator) (gpointer data, gsize length, gpointer user_data);

/* Result, name behind "TF_", arguments */
#define ACC_TENSORFLOW_FUNCTIONS(X) \
  X (const char *, Version, (void)) \
  X (TfStatus *, NewStatus, (void)) \
  X (void, DeleteStatus, (TfStatus *)) \
  X (gint, GetCode, (const TfStatus *)) \
  X (const char *, Message, (const TfStatus *)) \
  X (TfGraph *, NewGraph, (void)) \
  X (void, DeleteGraph, (TfGraph *)) \
  X (TfOperationDescription *, NewOperation, (TfGraph *, const char *kind, const char *name)) \
  X (TfOperation *, FinishOperation, (TfOperationDescription *, TfStatus *)) \
  X (void, AddInputList, (TfOperationDescription *, const TfOutput *, gint)) \
  X (void, SetDevice, (TfOperationDescription *, const char *)) \
  X (void, SetAttrType, (TfOperationDescription *, const char *, gint)) \
  X (void, SetAttrTypeList, (TfOperationDescription *, const char *, const gint *, gint)) \
  X (void, SetAttrShape, (TfOperationDescription *, const char *, const gint64 *, gint)) \
  X (void, SetAttrShapeList, (TfOperationDescription *, const char *, const gint64 *const *, const gint *, gint)) \
  X (void, SetAttrInt, (TfOperationDescription *, const char *, gint64)) \
  X (void, SetAttrString, (TfOperationDescription *, const char *, gconstpointer, gsize)) \
  X (void, SetAttrStringList, (TfOperationDescription *, const char *, gconstpointer const *, const gsize *, gint)) \
  X (TfSessionOptions *, NewSessionOptions, (void)) \
  X (void, DeleteSessionOptions, (TfSessionOptions *)) \
  X (void, SetConfig, (TfSessionOptions *, gconstpointer, gsize, TfStatus *)) \
  X (TfSession *, NewSession, (TfGraph *, const TfSessionOptions *, TfStatus *)) \
  X (void, CloseSession, (TfSession *, TfStatus *)) \
  X (void, DeleteSession, (TfSession *, TfStatus *)) \
  X (void, SessionRun, (TfSession *, const TfBuffer *, const TfOutput *, TfTensor *const *, gint, const TfOutput *, TfTensor **, gint, \
                        const TfOperation *const *, gint, TfBuffer *, TfStatus *)) \
  X (TfTensor *, NewTensor, (gint type, const gint64 *, gint, gpointer, gsize, TfDeallocator, gpointer)) \
  X (TfTensor *, AllocateTensor, (gint type, const gint64 *, gint, gsize)) \
  X (void, DeleteTensor, (TfTensor *)) \
  X (gpointer, TensorData, (const TfTensor *)) \
  X (gsize, TensorByteSize, (const TfTensor *))

typedef struct {
#define X(result, name, arguments) result (*name) arguments;
  ACC_TENSORFLOW_FUNCTIONS (X)
#undef X
} AccTensorflow;

/* ACC_ERROR_UNSUPPORTED with the reason where there is none. */
const AccTensorflow *acc_tensorflow_get       (GError **error);
/* FALSE: what TensorFlow says of a failure is the error, behind @what. */
gboolean             acc_tensorflow_check     (const AccTensorflow *api, const TfStatus *status, const char *what, GError **error);
