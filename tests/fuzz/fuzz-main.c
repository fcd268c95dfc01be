/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-main.h"

#include <stdio.h>
#include <string.h>

/* fuzz-NAME [--runs=N] [--seed=N] [FILE or FOLDER…]: each file as it is, then N mutations. */

static void
add_path (GPtrArray *seeds, const char *path)
{
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  char *data;
  gsize size;

  if (dir == NULL)
    {
      if (g_file_get_contents (path, &data, &size, NULL))
        g_ptr_array_add (seeds, g_bytes_new_take (data, size));
      return;
    }

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      add_path (seeds, inner);
    }
}

static guint8
random_byte (GRand *rand)
{
  static const guint8 favourites[] = { 0, 1, 0x7f, 0x80, 0xff, '(', ')', '\'', '9', '-' };

  return g_rand_boolean (rand) ? favourites[g_rand_int_range (rand, 0, G_N_ELEMENTS (favourites))]
                               : g_rand_int_range (rand, 0, 256);
}

/* One of: change bytes, cut out, double, cut off, mix with another seed. */
static void
mutate (GByteArray *bytes, GPtrArray *seeds, GRand *rand)
{
  guint at = bytes->len > 0 ? g_rand_int_range (rand, 0, bytes->len) : 0;
  guint n = g_rand_int_range (rand, 1, 32);

  n = MIN (n, bytes->len - at);
  switch (g_rand_int_range (rand, 0, 8))
    {
    case 0:
      g_byte_array_remove_range (bytes, at, n);
      break;
    case 1:
      {
        g_autofree guint8 *copy = g_memdup2 (bytes->data + at, n);

        g_byte_array_append (bytes, copy, n);
      }
      break;
    case 2:
      g_byte_array_set_size (bytes, at);
      break;
    case 3:
      {
        GBytes *other = seeds->pdata[g_rand_int_range (rand, 0, seeds->len)];
        gsize size = g_bytes_get_size (other);

        g_byte_array_set_size (bytes, at);
        if (at < size)
          g_byte_array_append (bytes, (const guint8 *) g_bytes_get_data (other, NULL) + at, size - at);
      }
      break;
    default:
      for (guint i = 0; i < 1 + n / 8 && bytes->len > 0; i++)
        bytes->data[g_rand_int_range (rand, 0, bytes->len)] = random_byte (rand);
      break;
    }
}

int
main (int argc, char **argv)
{
  g_autoptr(GPtrArray) seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr(GRand) rand = NULL;
  guint64 runs = 2000, seed = 1;

  for (int i = 1; i < argc; i++)
    if (sscanf (argv[i], "--runs=%" G_GUINT64_FORMAT, &runs) != 1
        && sscanf (argv[i], "--seed=%" G_GUINT64_FORMAT, &seed) != 1)
      add_path (seeds, argv[i]);

  fuzz_add_seeds (seeds);
  rand = g_rand_new_with_seed ((guint32) seed);
  printf ("%u seeds, %" G_GUINT64_FORMAT " mutations, --seed=%" G_GUINT64_FORMAT "\n", seeds->len, runs, seed);

  for (guint i = 0; i < seeds->len; i++)
    LLVMFuzzerTestOneInput (g_bytes_get_data (seeds->pdata[i], NULL), g_bytes_get_size (seeds->pdata[i]));

  for (guint64 i = 0; i < runs; i++)
    {
      GBytes *from = seeds->pdata[g_rand_int_range (rand, 0, seeds->len)];
      g_autoptr(GByteArray) bytes = g_byte_array_new ();
      g_autofree guint8 *copy = NULL;

      g_byte_array_append (bytes, g_bytes_get_data (from, NULL), g_bytes_get_size (from));
      for (gint32 n = g_rand_int_range (rand, 1, 5); n > 0; n--)
        mutate (bytes, seeds, rand);

      /* A block of its own size, so that a sanitizer sees reads past its end */
      copy = g_memdup2 (bytes->data, bytes->len);
      LLVMFuzzerTestOneInput (copy, bytes->len);
    }

  return 0;
}
