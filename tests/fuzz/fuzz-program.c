/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-generate.h"
#include "fuzz-main.h"
#include "fuzz-run.h"

#include <string.h>

/* The text form of programs: any text parses or fails with ACC_ERROR_PARSE, and what parses prints to a text that parses
 * to the same, and runs or fails; not all of it, for that takes longer than to read it. */

#define MOST_RUNS   500
#define N_GENERATED 40

static void
run_some (AccProgram *program,
          const char *printed)
{
  static GHashTable *seen;
  g_autoptr(GError) error = NULL;

  if (seen == NULL)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (g_hash_table_size (seen) < MOST_RUNS && fuzz_is_small (program) && g_hash_table_add (seen, g_strdup (printed)))
    fuzz_run_program (program, &error);
}

static gboolean
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
      return FALSE;
    }

  printed = acc_program_to_string (program);
  again = acc_program_parse (printed, &error);
  g_assert_no_error (error);
  printed_again = acc_program_to_string (again);
  g_assert_cmpstr (printed_again, ==, printed);
  run_some (again, printed);

  return TRUE;
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

/* Another type wherever one is: what keeps most of the meaning. */
static void
check_retyped (const char *text, guint32 seed)
{
  static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c4", "c8", "c16" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", codes[pick (rand, G_N_ELEMENTS (codes))]);
  g_autoptr(GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autofree char *changed = NULL;

  if (g_utf8_validate (text, -1, NULL) && g_regex_match (regex, text, 0, NULL))
    changed = g_regex_replace_literal (regex, text, -1, 0, codes[pick (rand, G_N_ELEMENTS (codes))], 0, NULL);
  if (changed != NULL)
    check_text (changed);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup (size > 0 ? (const char *) data : "", size);
  g_autoptr(GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr(AccProgram) program = acc_program_new_from_bytes (bytes, NULL);
  guint n;

  /* What lies near one that parses may parse, too. */
  n = check_text (text) ? 40 : 4;
  for (guint i = 0; i < n; i++)
    {
      check_shuffled (text, g_str_hash (text) + i);
      check_retyped (text, g_str_hash (text) + i);
    }

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

  for (guint i = 0; i < N_GENERATED; i++)
    {
      char *text = fuzz_generate (i);

      g_ptr_array_add (seeds, g_bytes_new_take (text, strlen (text)));
    }
}
