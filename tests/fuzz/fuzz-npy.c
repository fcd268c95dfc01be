/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-source.h"

#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz_read_source (data, size);

  return 0;
}

static void
add (GPtrArray *seeds, guint8 version, const char *header, gsize data_size)
{
  GByteArray *bytes = g_byte_array_new ();
  gsize length = strlen (header);
  g_autofree guint8 *data = g_malloc0 (data_size);
  guint8 prefix[12] = { 0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, length & 0xff, length >> 8, 0, 0 };

  g_byte_array_append (bytes, prefix, version == 1 ? 10 : 12);
  g_byte_array_append (bytes, (const guint8 *) header, length);
  g_byte_array_append (bytes, data, data_size);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

void
fuzz_add_seeds (GPtrArray *seeds)
{
  add (seeds, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 3), }   \n", 60);
  add (seeds, 2, "{'descr': '>i8', 'fortran_order': False, 'shape': (), }   \n", 8);
  add (seeds, 3, "{'descr': '|b1', 'fortran_order': True, 'shape': (9,), }   \n", 9);
  add (seeds, 1, "{'descr': [('x', '<f4'), ('y', '>u2')], 'fortran_order': False, 'shape': (2, 2), }   \n", 24);
  add (seeds, 1, "{'descr': [('a', '|u1'), ('', '|V7'), ('b', [('c', '<f8', (2,))])], "
                 "'fortran_order': False, 'shape': (2,), }   \n", 48);
}
