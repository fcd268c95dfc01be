/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-png-memory-private.h"

#include "acc-error.h"

#include <stdlib.h>

/* In front of each block; keeps its alignment. */
typedef union {
  gsize       size;
  max_align_t align;
} Header;

static png_voidp
allocate (png_structp png, png_alloc_size_t size)
{
  AccPngMemory *self = png_get_mem_ptr (png);
  Header *header;

  if (size > self->allowed || self->allocated > self->allowed - size)
    {
      self->refused = TRUE;
      return NULL;
    }

  header = malloc (sizeof (Header) + size);
  if (header == NULL)
    {
      self->refused = TRUE;
      return NULL;
    }

  header->size = size;
  self->allocated += size;

  return header + 1;
}

static void
release (png_structp png, png_voidp block)
{
  AccPngMemory *self = png_get_mem_ptr (png);
  Header *header = block;

  if (block == NULL)
    return;

  header--;
  self->allocated -= header->size;
  free (header);
}

static void
on_error (png_structp png, png_const_charp message)
{
  AccPngMemory *self = png_get_error_ptr (png);

  g_strlcpy (self->message, message, sizeof self->message);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png, png_const_charp message)
{
  AccPngMemory *self = png_get_error_ptr (png);

  if (*self->warning == '\0')
    g_strlcpy (self->warning, message, sizeof self->warning);
}

png_structp
acc_png_memory_new_read (AccPngMemory *self)
{
  return png_create_read_struct_2 (PNG_LIBPNG_VER_STRING, self, on_error, on_warning, self, allocate, release);
}

gboolean
acc_png_memory_fail (AccPngMemory *self, const char *name, gint64 row, GError **own, GError **error)
{
  g_autofree char *where = row < 0 ? g_strdup ("header") : g_strdup_printf ("row %" G_GINT64_FORMAT, row);

  if (*own != NULL)
    g_propagate_error (error, g_steal_pointer (own));
  else
    g_set_error (error, ACC_ERROR, self->refused ? ACC_ERROR_OUT_OF_MEMORY : ACC_ERROR_IO, "%s: %s: %s", name, where,
                 *self->message != '\0' ? self->message : "out of memory");

  return FALSE;
}
