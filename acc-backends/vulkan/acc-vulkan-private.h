/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-vulkan-device.h"
#include "acc-vulkan-instance.h"
#include "acc-backends/codegen/c/acc-emit-c.h"

typedef struct _AccVulkanDevice AccVulkanDevice;

/* --- memory */

typedef enum {
  ACC_VULKAN_MEMORY_DEVICE,   /* arrays */
  ACC_VULKAN_MEMORY_HOST,     /* what the processor reads and writes */
  ACC_VULKAN_MEMORY_WORDS,    /* what the processor writes and kernels read: words of launches */
  ACC_VULKAN_N_MEMORIES,
} AccVulkanMemory;

typedef struct {
  AccVulkanMemory what;
  VkBuffer        buffer;
  GArray         *memories;   /* VkDeviceMemory: one, or several behind a sparse buffer */
  guint64         address;    /* 0 without addresses */
  guint8         *host;       /* NULL where the host does not see it */
  gsize           size;
  GArray         *free;       /* Range, by offset; NULL for a block of one piece */
} AccVulkanBlock;

typedef struct {
  AccVulkanBlock *block;
  gsize           offset, size;
} AccVulkanPiece;

typedef struct {
  const AccVulkanPiece *to;
  gsize                 to_offset;     /* within the piece */
  const AccVulkanPiece *from;
  gsize                 from_offset;
  gsize                 size;
} AccVulkanCopy;

typedef struct {
  GMutex     lock;
  GPtrArray *blocks[ACC_VULKAN_N_MEMORIES];
  GArray    *pinned;          /* Pinned, by address */
} AccVulkanHeap;

/* --- queues */

typedef struct {
  GMutex  lock;
  VkQueue queue;
  guint32 family;
} AccVulkanSubmitter;

/* Commands that are submitted together. */
typedef struct {
  VkCommandPool    pool;
  VkCommandBuffer  commands;
  VkFence          fence;         /* without timelines */
  VkDescriptorPool descriptors;   /* without addresses, when first needed */
  VkQueryPool      times;
  AccVulkanPiece  *words;         /* when first needed */
  gsize            words_used;
  guint            n_commands;
  guint            n_waiters;     /* threads that wait for .fence */
  guint64          value;
} AccVulkanBatch;

#define ACC_VULKAN_N_STAGES   4
#define ACC_VULKAN_STAGE_SIZE ((gsize) 4 << 20)

typedef struct {
  AccVulkanDevice    *device;
  AccVulkanSubmitter *submitter;
  GMutex              lock;
  VkSemaphore         timeline;                /* counts batches; none without timelines */
  guint64             submitted, reached;
  guint64             waits[ACC_N_QUEUES];     /* of other queues' counts, by the next batch */
  AccVulkanBatch     *open;
  GQueue              busy, idle;
  gboolean            is_timed;
  gboolean            has_last_time;
  guint64             last_time, busy_time, passed_time;   /* in the device's ticks */

  GMutex              stage_lock;              /* before .lock */
  AccVulkanPiece     *stages[ACC_VULKAN_N_STAGES];
  guint64             stage_values[ACC_VULKAN_N_STAGES];
  guint               next_stage;
} AccVulkanQueue;

/* --- the device */

typedef enum {
  ACC_VULKAN_DISABLE_ADDRESSES = 1 << 0,
  ACC_VULKAN_DISABLE_TIMELINES = 1 << 1,
  ACC_VULKAN_DISABLE_SUBGROUPS = 1 << 2,
  ACC_VULKAN_DISABLE_QUEUES    = 1 << 3,
  ACC_VULKAN_DISABLE_UNIFIED   = 1 << 4,
  ACC_VULKAN_DISABLE_PUSH      = 1 << 5,
  ACC_VULKAN_DISABLE_VERSIONS  = 1 << 6,
  ACC_VULKAN_DISABLE_PROGRESS  = 1 << 7,
  ACC_VULKAN_DISABLE_COMMANDS  = 1 << 8,
} AccVulkanDisable;

struct _AccVulkanDevice {
  AccDevice                        parent;
  const AccVulkanInstanceFunctions *instance;
  AccVulkanFunctions               vk;
  VkPhysicalDevice                 physical;
  VkDevice                         device;
  VkPhysicalDeviceLimits           limits;
  VkPhysicalDeviceType             type;
  VkPhysicalDeviceMemoryProperties memories;
  AccVulkanDisable                 disable;
  double                           timeout;        /* of waits within transfers, in seconds; 0: none */

  gboolean                         has_addresses;
  gboolean                         has_timelines;
  gboolean                         has_sparse;
  gsize                            import_alignment;   /* of host memory that the device can see; 0: it cannot */
  gboolean                         sets_subgroup_size;
  gboolean                         may_keep_denormals;   /* f32, where it is asked to: to be tried */
  guint                            required_subgroup_size;
  gsize                            max_allocation, max_buffer_size;
  AccCDialect                      dialect;

  AccVulkanSubmitter               submitters[ACC_N_QUEUES];
  guint                            n_submitters;
  guint32                          families[ACC_N_QUEUES];
  guint                            n_families;
  guint                            time_bits;      /* of the compute family's clock; 0: none */

  AccVulkanHeap                    heap;
  AccVulkanQueue                   queues[ACC_N_QUEUES];
  gboolean                         has_download_kernel; /* a kernel does downloads that run beside uploads */
  GMutex                           download_lock;
  AccDeviceKernel                 *download_kernel;     /* made when first needed */
  gboolean                         download_failed;
  AccVulkanPiece                  *zeros;          /* 256 bytes of 0, of device memory */
  int                              is_lost;        /* atomic */
  gboolean                         is_hung;        /* a wait took too long: nothing of it can be freed */
  GMutex                           lost_lock;
  char                            *lost;           /* why */
};

/* Sets an error for all but success; keeps a lost device lost. */
gboolean _acc_vulkan_check      (AccVulkanDevice *self, VkResult result, const char *what, GError **error);
/* Whether it is not lost. */
gboolean _acc_vulkan_is_there   (AccVulkanDevice *self, GError **error);
void     _acc_vulkan_lose       (AccVulkanDevice *self, gboolean is_hung, const char *reason);

/* acc-vulkan-features.c: makes .device with all that is used of it, and sets what follows from that. */
gboolean _acc_vulkan_make_device (AccVulkanDevice *self, const AccVulkanInstance *instance, GError **error);

/* acc-vulkan-memory.c */
void            _acc_vulkan_heap_init     (AccVulkanDevice *self);
void            _acc_vulkan_heap_clear    (AccVulkanDevice *self);
AccVulkanPiece *_acc_vulkan_piece_new     (AccVulkanDevice *self, AccVulkanMemory what, gsize size, GError **error);
void            _acc_vulkan_piece_free    (AccVulkanDevice *self, AccVulkanPiece *piece);
gboolean        _acc_vulkan_allocate      (AccDevice *device, gsize size, AccDeviceMemory *memory, GError **error);
void            _acc_vulkan_release       (AccDevice *device, AccDeviceMemory *memory);
gboolean        _acc_vulkan_import        (AccDevice *device, gpointer host, gsize size, AccDeviceMemory *memory);
gpointer        _acc_vulkan_allocate_host (AccDevice *device, gsize size, GError **error);
void            _acc_vulkan_release_host  (AccDevice *device, gpointer host, gsize size);
/* The piece that [host, host + size) lies in, and where; NULL where it is not from allocate_host(). */
AccVulkanPiece *_acc_vulkan_find_pinned   (AccVulkanDevice *self, gconstpointer host, gsize size, gsize *offset);

static inline guint8 *
_acc_vulkan_piece_host (const AccVulkanPiece *piece)
{
  return piece->block->host != NULL ? piece->block->host + piece->offset : NULL;
}

/* acc-vulkan-queue.c */
gboolean        _acc_vulkan_queue_init    (AccVulkanQueue *queue, AccVulkanDevice *device, AccVulkanSubmitter *submitter,
                                           gboolean is_timed, GError **error);
void            _acc_vulkan_queue_clear   (AccVulkanQueue *queue);
/* With the queue's lock: the batch that commands go to, ordered behind all before; NULL with an error. */
AccVulkanBatch *_acc_vulkan_queue_record  (AccVulkanQueue *queue, GError **error);
/* With the queue's lock: submits what is recorded, and waits that are pending. */
gboolean        _acc_vulkan_queue_submit  (AccVulkanQueue *queue, GError **error);
/* With the queue's lock: all of it is done. */
gboolean        _acc_vulkan_queue_is_idle (AccVulkanQueue *queue);
gboolean        _acc_vulkan_queue_block   (AccVulkanQueue *queue, guint64 value, double seconds, GError **error);
gboolean        _acc_vulkan_mark          (AccDevice *device, AccQueue queue, guint64 *point, GError **error);
gboolean        _acc_vulkan_wait          (AccDevice *device, AccQueue queue, AccQueue other, guint64 point, GError **error);
gboolean        _acc_vulkan_is_reached    (AccDevice *device, AccQueue queue, guint64 point);
gboolean        _acc_vulkan_block         (AccDevice *device, AccQueue queue, guint64 point, double seconds, GError **error);
gboolean        _acc_vulkan_get_busy      (AccDevice *device, guint64 *busy, guint64 *passed);

/* acc-vulkan-transfer.c */
gboolean _acc_vulkan_upload   (AccDevice *device, AccQueue queue, const AccDeviceMemory *to, gsize offset, gconstpointer from, gsize size,
                               GError **error);
gboolean _acc_vulkan_download (AccDevice *device, AccQueue queue, gpointer to, const AccDeviceMemory *from, gsize offset, gsize size,
                               GError **error);
gboolean _acc_vulkan_copy     (AccDevice *device, AccQueue queue, const AccDeviceMemory *to, gsize to_offset,
                               const AccDeviceMemory *from, gsize from_offset, gsize size, GError **error);
gboolean _acc_vulkan_clear    (AccDevice *device, AccQueue queue, const AccDeviceMemory *memory, gsize offset, gsize size, GError **error);

/* With the queue's lock. */
gboolean _acc_vulkan_record_copy (AccVulkanQueue *queue, const AccVulkanCopy *copy, GError **error);

/* acc-vulkan-download.c: a kernel that does the download, where that is better than a command; else NULL. */
AccDeviceKernel *_acc_vulkan_download_choose  (AccVulkanQueue *queue, const AccVulkanCopy *copy);
gboolean         _acc_vulkan_download_enqueue (AccVulkanQueue *queue, AccDeviceKernel *kernel, const AccVulkanCopy *copy, GError **error);

/* acc-vulkan-shader.c: SPIR-V of GLSL. Any thread. */
GBytes  *_acc_vulkan_compile_glsl (const char *source, const char *name, GError **error);

/* --- kernels */

/* Words of launches that have no room among the push constants lie in memory of the batch; sets in its pool. */
#define ACC_VULKAN_BATCH_WORDS       ((gsize) 64 << 10)
#define ACC_VULKAN_BATCH_SETS        64
#define ACC_VULKAN_BATCH_DESCRIPTORS 1024

struct _AccDeviceKernel {
  char                 *name;
  guint8               *kinds;            /* per slot: AccElementKind */
  guint                 n_slots;
  guint                 n_buffers;
  gboolean              has_addresses;
  gboolean              pushes;           /* the words are push constants */
  guint                 n_words;
  guint                 n_bindings;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout      layout;
  guint                 group_size;
  VkPipeline            pipeline;
};

/* acc-vulkan-kernel.c */
void             _acc_vulkan_kernel_free          (AccVulkanDevice *self, AccDeviceKernel *kernel);
GBytes          *_acc_vulkan_compile (AccDevice *device, AccKernel *kernel, gboolean general, GError **error);
AccDeviceKernel *_acc_vulkan_load    (AccDevice *device, AccKernel *kernel, GBytes *code, GError **error);
void             _acc_vulkan_unload  (AccDevice *device, AccDeviceKernel *kernel);
/* acc-vulkan-launch.c */
gboolean         _acc_vulkan_needs_general (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                            const AccGroups *groups);
gboolean         _acc_vulkan_launch  (AccDevice *device, AccDeviceKernel *kernel, const AccDeviceSlot *slots, guint n_slots,
                                      const AccGroups *groups, const AccDeviceMemory *failure, GError **error);
/* A kernel of GLSL, with storage buffers at bindings 0 to @n_bindings and @n_words pushed. */
AccDeviceKernel *_acc_vulkan_kernel_new_of_source (AccVulkanDevice *self, const char *source, const char *name, guint threads,
                                                   guint n_bindings, guint n_words, GError **error);
/* One dispatch, with the queue's lock. @buffers: one per binding but that of the words. */
gboolean         _acc_vulkan_dispatch (AccVulkanQueue *queue, AccDeviceKernel *kernel, VkDescriptorBufferInfo *buffers,
                                       const guint64 *words, guint32 n_x, guint32 n_y, GError **error);
/* Runs a shader with one storage buffer, which begins with @data and is given back in it; waits. */
gboolean         _acc_vulkan_run_shader (AccVulkanDevice *self, const char *source, const char *name, guint threads, guint n_groups,
                                         gpointer data, gsize size, GError **error);

/* acc-vulkan-probe.c: what the device's arithmetic and subgroups are like, by trying. */
gboolean _acc_vulkan_probe (AccVulkanDevice *self, GError **error);
