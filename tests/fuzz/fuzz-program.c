/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-main.h"

#include <acc/acc.h>

#include <string.h>

/* The text form of programs: any text parses or fails with ACC_ERROR_PARSE, and what parses prints to a text that parses
 * to the same. */

static void
check_text (const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_parse (text, &error);
  g_autoptr(AccProgram) again = NULL;
  g_autofree char *printed = NULL;
  g_autofree char *printed_again = NULL;

  if (program == NULL)
    {
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      return;
    }

  printed = acc_program_to_string (program);
  again = acc_program_parse (printed, &error);
  g_assert_no_error (error);
  printed_again = acc_program_to_string (again);
  g_assert_cmpstr (printed_again, ==, printed);
}

static guint
pick (GRand *rand, guint n)
{
  return g_rand_int_range (rand, 0, n);
}

/* Lines and words in other places: what keeps the grammar and breaks the meaning. The bytes say how. */
static void
check_shuffled (const char *text, guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *joined = NULL;
  guint n = g_strv_length (lines);

  for (guint round = 1 + pick (rand, 3); round > 0 && n > 1; round--)
    {
      guint from = pick (rand, n), to = pick (rand, n);
      g_auto(GStrv) words = g_strsplit (lines[from], " ", -1);
      g_auto(GStrv) others = g_strsplit (lines[to], " ", -1);
      guint n_words = g_strv_length (words), n_others = g_strv_length (others);

      if (pick (rand, 4) == 0 || n_words == 0 || n_others == 0)
        {
          char *copy = g_strdup (lines[from]);

          g_free (lines[to]);
          lines[to] = copy;
        }
      else
        {
          char **word = &words[pick (rand, n_words)];

          g_free (*word);
          *word = g_strdup (others[pick (rand, n_others)]);
          g_free (lines[from]);
          lines[from] = g_strjoinv (" ", words);
        }
    }

  joined = g_strjoinv ("\n", lines);
  check_text (joined);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup (size > 0 ? (const char *) data : "", size);
  g_autoptr(GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr(AccProgram) program = acc_program_new_from_bytes (bytes, NULL);

  check_text (text);
  for (guint i = 0; i < 4; i++)
    check_shuffled (text, g_str_hash (text) + i);

  return 0;
}

void
fuzz_add_seeds (GPtrArray *seeds)
{
  static const char *const texts[] = {
    "acc program 1\na0 = parameter 0 f4[:]\nprogram a0 -> a0\n",
    "acc program 1\na0 = use (u1,f2)[1]\n leaf\n data AQ==\n leaf\n data AAE=\nprogram -> a0\n",
    "acc program 1\na0 = use (c4,3u1)[1]\n leaf\n data AAEAAQ==\n leaf\n data AAEC\na1 = map a0\n e0 = variable (c4,3u1)\n e1 = item e0 0\n"
    " e2 = item e1 1\n e3 = pack c4 e2 e2\n function e0 -> e3\nprogram -> a1\n",
    "acc program 1\na0 = fill\n e0 = literal i8 7\n extents -> e0\n function -> e0\nprogram -> a0 a0\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_ptr_array_add (seeds, g_bytes_new_static (texts[i], strlen (texts[i])));
}
