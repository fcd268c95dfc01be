/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

/* Downloads beside uploads. NVIDIA's driver lets what a copy command writes over the bus fill it, so that requests of uploads wait
 * behind: both ways together, copy commands are hardly quicker than one. A kernel that writes somewhat less than the bus takes,
 * because few threads do it, leaves them room. */

/* On a bus of 52 GB/s one way 11 or 12 warps write 42, and both ways make 72 to 82; with 9 warps they make 66, with 14 71, with copy
 * commands 58. Slower buses are filled, as by commands. */
#define THREADS 384
#define EACH    8     /* of 16 bytes, that a thread has under way */
#define WORD    16
#define MIN_SIZE ((gsize) 64 << 10)
#define MAX_SIZE ((gsize) 1 << 30)   /* of one dispatch */

/* What is pushed: two addresses, and how many words of 16 bytes. */
#define N_WORDS 3

static const char source[] =
  "#version 450\n"
  "#extension GL_EXT_buffer_reference : require\n"
  "layout (local_size_x = %u) in;\n"
  "layout (buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer From { uvec4 words[]; };\n"
  "layout (buffer_reference, std430, buffer_reference_align = 16) writeonly restrict buffer To { uvec4 words[]; };\n"
  "layout (push_constant) uniform Push { From from; To to; uint n, pad; };\n"
  "void main ()\n"
  "{\n"
  "  const uint threads = gl_WorkGroupSize.x, each = " G_STRINGIFY (EACH) ";\n"
  "  uint n_whole = n / (threads * each) * (threads * each), thread = gl_LocalInvocationID.x;\n"
  "  uvec4 held[each];\n"
  "  for (uint i = thread; i < n_whole; i += threads * each)\n"
  "    {\n"
  "      for (uint k = 0; k < each; k++)\n"
  "        held[k] = from.words[i + k * threads];\n"
  "      for (uint k = 0; k < each; k++)\n"
  "        to.words[i + k * threads] = held[k];\n"
  "    }\n"
  "  for (uint i = n_whole + thread; i < n; i += threads)\n"
  "    to.words[i] = from.words[i];\n"
  "}\n";

static gboolean
is_upload_under_way (AccVulkanDevice *self)
{
  AccVulkanQueue *uploads = &self->queues[ACC_QUEUE_UPLOAD];
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&uploads->lock);
  return !_acc_vulkan_queue_is_idle (uploads);
}

/* NULL where it cannot be made: then commands do. */
static AccDeviceKernel *
get_kernel (AccVulkanDevice *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->download_lock);

  if (self->download_kernel == NULL && !self->download_failed)
    {
      guint threads = MIN (THREADS, self->parent.target.max_group_size);
      g_autofree char *sized = g_strdup_printf (source, threads);
      self->download_kernel = _acc_vulkan_kernel_new_of_source (self, sized, "download", threads, 0, N_WORDS, NULL);
      self->download_failed = self->download_kernel == NULL;
    }
  return self->download_kernel;
}

static guint64
get_address (const AccVulkanPiece *piece,
             gsize                 offset)
{
  return piece->block->address + piece->offset + offset;
}

AccDeviceKernel *
_acc_vulkan_download_choose (AccVulkanQueue      *queue,
                             const AccVulkanCopy *copy)
{
  AccVulkanDevice *self = queue->device;

  if (!self->has_download_kernel || queue->submitter->family != self->submitters[0].family
      || (get_address (copy->to, copy->to_offset) | get_address (copy->from, copy->from_offset)) % WORD != 0)
    return NULL;
  if ((self->disable & ACC_VULKAN_DISABLE_COMMANDS) != 0 || (copy->size >= MIN_SIZE && is_upload_under_way (self)))
    return get_kernel (self);
  return NULL;
}

gboolean
_acc_vulkan_download_enqueue (AccVulkanQueue      *queue,
                              AccDeviceKernel     *kernel,
                              const AccVulkanCopy *copy,
                              GError             **error)
{
  guint64 to = get_address (copy->to, copy->to_offset), from = get_address (copy->from, copy->from_offset);
  gsize n_bytes = copy->size / WORD * WORD;
  const AccVulkanCopy rest = { copy->to, copy->to_offset + n_bytes, copy->from, copy->from_offset + n_bytes, copy->size - n_bytes };

  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&queue->lock);
  for (gsize done = 0; done < n_bytes; done += MAX_SIZE)
    {
      const guint64 words[N_WORDS] = { from + done, to + done, MIN (n_bytes - done, MAX_SIZE) / WORD };
      if (!_acc_vulkan_dispatch (queue, kernel, NULL, words, 1, 1, error))
        return FALSE;
    }
  return rest.size == 0 || _acc_vulkan_record_copy (queue, &rest, error);
}
