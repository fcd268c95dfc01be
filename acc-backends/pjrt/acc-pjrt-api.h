/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* The part of the PJRT interface that is used, as plugins of version 0.54 and later have it: a table of functions, each of which takes a
 * struct that begins with its size. Declared here so that no header is needed to build. */

typedef struct _PjrtError       PjrtError;
typedef struct _PjrtEvent       PjrtEvent;
typedef struct _PjrtClient      PjrtClient;
typedef struct _PjrtDevice      PjrtDevice;
typedef struct _PjrtDescription PjrtDescription;
typedef struct _PjrtBuffer      PjrtBuffer;
typedef struct _PjrtExecutable  PjrtExecutable;
typedef struct _PjrtLoaded      PjrtLoaded;

/* Places in the table. */
enum {
  PJRT_ERROR_DESTROY = 0,
  PJRT_ERROR_MESSAGE = 1,
  PJRT_ERROR_CODE = 2,
  PJRT_PLUGIN_INITIALIZE = 3,
  PJRT_EVENT_DESTROY = 5,
  PJRT_EVENT_AWAIT = 8,
  PJRT_CLIENT_CREATE = 10,
  PJRT_CLIENT_DESTROY = 11,
  PJRT_CLIENT_PLATFORM_NAME = 12,
  PJRT_CLIENT_PLATFORM_VERSION = 14,
  PJRT_CLIENT_ADDRESSABLE_DEVICES = 16,
  PJRT_CLIENT_COMPILE = 20,
  PJRT_CLIENT_BUFFER_FROM_HOST = 22,
  PJRT_DESCRIPTION_ID = 23,
  PJRT_DESCRIPTION_KIND = 26,
  PJRT_DEVICE_DESCRIPTION = 29,
  PJRT_DEVICE_MEMORY = 34,
  PJRT_EXECUTABLE_DESTROY = 40,
  PJRT_EXECUTABLE_SERIALIZE = 49,
  PJRT_LOADED_DESTROY = 50,
  PJRT_LOADED_EXECUTABLE = 51,
  PJRT_LOADED_EXECUTE = 55,
  PJRT_DESERIALIZE_AND_LOAD = 56,
  PJRT_BUFFER_DESTROY = 58,
  PJRT_BUFFER_TO_HOST = 70,
  PJRT_BUFFER_POINTER = 76,
  PJRT_EXECUTABLE_MEMORY = 96,
};

typedef PjrtError *(*PjrtFunction) (gpointer arguments);

typedef struct {
  gsize        size;
  gpointer     extensions;
  struct {
    gsize      size;
    gpointer   extensions;
    gint       major, minor;
  } version;
  PjrtFunction functions[];
} PjrtApi;

#define PJRT_HEAD gsize size; gpointer extensions

typedef enum {
  PJRT_TYPE_PRED = 1,
  PJRT_TYPE_S8, PJRT_TYPE_S16, PJRT_TYPE_S32, PJRT_TYPE_S64,
  PJRT_TYPE_U8, PJRT_TYPE_U16, PJRT_TYPE_U32, PJRT_TYPE_U64,
  PJRT_TYPE_F16, PJRT_TYPE_F32, PJRT_TYPE_F64,
} PjrtType;

/* What may happen to memory that a buffer is made of. */
typedef enum {
  PJRT_HOST_DURING_CALL,
  PJRT_HOST_UNTIL_DONE,
  PJRT_HOST_ZERO_COPY,
} PjrtHostSemantics;

typedef enum {
  PJRT_CODE_RESOURCE_EXHAUSTED = 8,
  PJRT_CODE_UNIMPLEMENTED = 12,
} PjrtCode;

typedef struct { PJRT_HEAD; PjrtError *error; } PjrtErrorArgs;
typedef struct { PJRT_HEAD; const PjrtError *error; const char *message; gsize length; } PjrtErrorMessageArgs;
typedef struct { PJRT_HEAD; const PjrtError *error; gint code; } PjrtErrorCodeArgs;
typedef struct { PJRT_HEAD; } PjrtPluginArgs;
typedef struct { PJRT_HEAD; PjrtEvent *event; } PjrtEventArgs;

typedef enum {
  PJRT_VALUE_STRING = 0,
  PJRT_VALUE_INT64 = 1,
  PJRT_VALUE_FLOAT = 3,
  PJRT_VALUE_BOOL = 4,
} PjrtValueKind;

typedef struct {
  PJRT_HEAD;
  const char     *name;
  gsize           name_length;
  gint            kind;       /* PjrtValueKind */
  union {
    const char   *string;
    gint64        int64;
    float         float32;
    bool          is_set;
  };
  gsize           length;     /* of a string; else 1 */
} PjrtNamedValue;

typedef struct {
  PJRT_HEAD;
  const PjrtNamedValue *options;
  gsize         n_options;
  gpointer      get, get_data, put, put_data;
  PjrtClient   *client;       /* out */
  gpointer      try_get, try_get_data;
} PjrtClientCreateArgs;

typedef struct { PJRT_HEAD; PjrtClient *client; } PjrtClientArgs;
typedef struct { PJRT_HEAD; PjrtClient *client; const char *text; gsize length; } PjrtClientTextArgs;
typedef struct { PJRT_HEAD; PjrtClient *client; PjrtDevice *const *devices; gsize n_devices; } PjrtClientDevicesArgs;
typedef struct { PJRT_HEAD; PjrtDevice *device; PjrtDescription *description; } PjrtDeviceDescriptionArgs;
typedef struct { PJRT_HEAD; PjrtDescription *description; const char *text; gsize length; } PjrtDescriptionTextArgs;
typedef struct { PJRT_HEAD; PjrtDescription *description; gint id; } PjrtDescriptionIdArgs;

typedef struct {
  gint64 bytes;
  bool   is_set;
} PjrtBytes;

typedef struct {
  PJRT_HEAD;
  PjrtDevice *device;
  gint64      used_bytes;           /* out, as are others */
  PjrtBytes   peak, n_allocations, largest, limit, reserved, peak_reserved, reservable, largest_free, pool, peak_pool;
} PjrtDeviceMemoryArgs;

typedef struct {
  PJRT_HEAD;
  char       *code;
  gsize       code_size;
  const char *format;
  gsize       format_size;
} PjrtProgram;

typedef struct {
  PJRT_HEAD;
  PjrtClient        *client;
  const PjrtProgram *program;
  gconstpointer      options;
  gsize              options_size;
  PjrtLoaded        *loaded;        /* out */
} PjrtCompileArgs;

typedef struct {
  PJRT_HEAD;
  PjrtClient    *client;
  gconstpointer  data;
  gint           type;
  const gint64  *extents;
  gsize          rank;
  const gint64  *strides;
  gsize          n_strides;
  gint           semantics;
  PjrtDevice    *device;
  gpointer       memory, layout;
  PjrtEvent     *done;              /* out */
  PjrtBuffer    *buffer;            /* out */
} PjrtBufferFromHostArgs;

typedef struct { PJRT_HEAD; PjrtBuffer *buffer; } PjrtBufferArgs;
typedef struct { PJRT_HEAD; PjrtBuffer *buffer; gpointer pointer; } PjrtBufferPointerArgs;
typedef struct { PJRT_HEAD; PjrtBuffer *buffer; gpointer layout; gpointer data; gsize bytes; PjrtEvent *event; } PjrtBufferToHostArgs;

typedef struct { PJRT_HEAD; PjrtLoaded *loaded; } PjrtLoadedArgs;
typedef struct { PJRT_HEAD; PjrtLoaded *loaded; PjrtExecutable *executable; } PjrtLoadedExecutableArgs;
typedef struct { PJRT_HEAD; PjrtExecutable *executable; } PjrtExecutableArgs;

typedef struct {
  PJRT_HEAD;
  PjrtExecutable *executable;
  gint64          code_bytes, argument_bytes, output_bytes, alias_bytes, temporary_bytes;
  gint64          host_code_bytes, host_argument_bytes, host_output_bytes, host_alias_bytes, host_temporary_bytes;
  gint64          peak_bytes, total_bytes;
} PjrtExecutableMemoryArgs;

typedef struct {
  PJRT_HEAD;
  gpointer      send, receive;
  gsize         n_send, n_receive;
  gint          launch_id;
  const gint64 *not_donated;
  gsize         n_not_donated;
  gpointer      context;
  const char   *location;
  gsize         n_tasks;
  gpointer      tasks, incarnations;
} PjrtExecuteOptions;

typedef struct {
  PJRT_HEAD;
  PjrtLoaded              *loaded;
  PjrtExecuteOptions      *options;
  PjrtBuffer *const *const *arguments;
  gsize                    n_devices, n_arguments;
  PjrtBuffer **const      *results;     /* out */
  PjrtEvent              **events;      /* out */
  PjrtDevice              *device;
} PjrtExecuteArgs;

typedef struct {
  PJRT_HEAD;
  PjrtExecutable *executable;
  const char     *bytes;                /* out */
  gsize           n_bytes;
  gpointer        serialized;
  void          (*free_serialized) (gpointer serialized);
} PjrtSerializeArgs;

typedef struct {
  PJRT_HEAD;
  PjrtClient *client;
  const char *bytes;
  gsize       n_bytes;
  PjrtLoaded *loaded;                   /* out */
  const char *options;
  gsize       n_options;
} PjrtDeserializeArgs;
