/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-generate.h"

#include "fuzz-generate-private.h"

#include <string.h>

#include "acc-core/backend/acc-foreign-private.h"

const char *const fuzz_operations[] = {
#define ACC_OPERATION(ID, name, n_inputs, functions, class, family, rows, facts, lifting, section, since) (since)[0] != '\0' ? name : "",
#include "acc-operations.inc"
#undef ACC_OPERATION
  NULL
};

static AccElementType *
any_type (FuzzGenerator *self)
{
  static const char *const codes[]
      = { "c8",  "c8",  "c8",  "c16",     "c16",     "f4",      "f4",           "f8", "f2", "c4",
          "b1",  "i1",  "i2",  "i4",      "i8",      "u1",      "u2",           "u4", "u8", "2f4",
          "4f4", "3u1", "2i4", "(f4,f4)", "(u1,i8)", "(c8,b1)", "((f2,u1),f8)", "()" };

  return fuzz_type (codes[fuzz_pick (self, G_N_ELEMENTS (codes))]);
}

/* --- arrays */

static gboolean
is_misfit (FuzzGenerator *self)
{
  return fuzz_pick (self, 150) == 0;
}

/* One of that type (NULL: any) and rank (-1: any), or, where there is none, NULL; now and then what does not fit. */
static const FuzzArray *
find (FuzzGenerator *self, AccElementType *type, int rank)
{
  guint start = fuzz_pick (self, self->arrays->len);

  for (guint i = 0; i < self->arrays->len; i++)
    {
      const FuzzArray *array = &g_array_index (self->arrays, FuzzArray, (start + i) % self->arrays->len);

      if (is_misfit (self) || ((type == NULL || array->type == type) && (rank < 0 || array->rank == (guint) rank)))
        return array;
    }

  return NULL;
}

static void
add_offer (FuzzGenerator *self, AccElementType *type, guint rank)
{
  guint n, n_names = 3;
  const char *name;

  while (acc_foreign_nth_transform (n_names - 3) != NULL)
    n_names++;
  n = fuzz_pick (self, n_names);
  name = n == 0 ? ACC_FOREIGN_PRODUCT
         : n == 1 ? FUZZ_FOREIGN
         : n == 2 ? FUZZ_LAUNCH
                  : acc_foreign_nth_transform (n - 3)->name;
  g_string_append_printf (self->text, " foreign \"%s\"", name);
  for (n = n == 0 || fuzz_pick (self, 20) == 0 ? 2 : 1; n > 0; n--)
    {
      const FuzzArray *array = find (self, type, (int) rank);

      if (array == NULL || fuzz_pick (self, 4) == 0)
        array = find (self, NULL, -1);
      g_string_append_printf (self->text, " a%u", array->number);
    }
}

/* What it is said to be a part of: known or not, and now and then no name. */
static void
add_made_by (FuzzGenerator *self)
{
  static const char *const names[] = { "take", "matmul", "not_yet_there_2", "_", "fold", "for", "", "No name" };
  guint n = fuzz_pick (self, 200);

  if (n == 0)
    g_string_append_printf (self->text, " for \"%0*d\"", 1 + (int) fuzz_pick (self, 100), 0);
  else
    g_string_append_printf (self->text, " for \"%s\"", names[n < 3 ? 5 + n : n % 6]);
}

/* Begins the line; what belongs to the node follows, and end() is last. */
static FuzzArray G_GNUC_PRINTF (5, 6)
    begin (FuzzGenerator *self, AccElementType *type, guint rank, gboolean takes_offer, const char *format, ...)
{
  FuzzArray array = { self->n_arrays++, type, rank };
  va_list args;

  g_string_append_printf (self->text, "a%u = ", array.number);
  va_start (args, format);
  g_string_append_vprintf (self->text, format, args);
  va_end (args);
  if (takes_offer && self->is_open && fuzz_pick (self, 4) == 0)
    add_offer (self, type, rank);
  if (fuzz_pick (self, 10) == 0)
    add_made_by (self);
  if (fuzz_pick (self, 10) == 0)
    g_string_append (self->text, " label \"here\"");
  g_string_append_c (self->text, '\n');
  self->n_exprs = 0;

  return array;
}

/* Extents as large as libraries want them, or small ones. */
static void
known_extents (FuzzGenerator *self, guint rank, gint64 *extents)
{
  static const gint64 shapes[4][4][3] = { { { 4096 }, { 5000 }, { 7 }, { 0 } },
                                          { { 64, 64 }, { 16, 300 }, { 3, 5 }, { 0, 4 } },
                                          { { 16, 16, 16 }, { 2, 64, 40 }, { 2, 3, 4 }, { 3, 0, 2 } } };

  for (guint i = 0, n = fuzz_pick (self, 4); i < rank; i++)
    extents[i] = shapes[rank - 1][n > 1 ? fuzz_pick (self, 4) : n][i];
}

static void
say_shape (FuzzGenerator *self, const guint *numbers, guint rank)
{
  if (rank != 1)
    g_string_append_printf (self->text, " e%u = tuple", self->n_exprs);
  for (guint i = 0; i < rank && rank != 1; i++)
    g_string_append_printf (self->text, " e%u", numbers[i]);
  if (rank == 1)
    g_string_append_printf (self->text, " extents -> e%u\n", numbers[0]);
  else
    g_string_append_printf (self->text, "\n extents -> e%u\n", self->n_exprs++);
}

static void
say_extents (FuzzGenerator *self, guint rank)
{
  gint64 extents[3];
  guint numbers[3];

  known_extents (self, rank, extents);
  for (guint i = 0; i < rank; i++)
    numbers[i] = fuzz_say_number (self, extents[i]);
  say_shape (self, numbers, rank);
}

/* Those of the array, the outermost with more. */
static void
say_extents_of (FuzzGenerator *self, const FuzzArray *array, gint64 more)
{
  guint numbers[4];

  for (guint i = 0; i < array->rank; i++)
    numbers[i] = fuzz_say (self, "extent a%u %u", array->number, i);
  if (array->rank > 0 && more != 0)
    {
      guint added = fuzz_say_number (self, more);

      numbers[0] = fuzz_say (self, "add e%u e%u", numbers[0], added);
    }
  say_shape (self, numbers, array->rank);
}

static FuzzArray
make_parameter (FuzzGenerator *self, AccElementType *type, guint rank, guint position)
{
  return begin (self, type, rank, FALSE, "parameter %u %s[%s]", position, acc_element_type_get_code (type),
                rank == 0   ? ""
                : rank == 1 ? ":"
                : rank == 2 ? ":,:"
                : rank == 3 ? ":,:,:"
                            : ":,:,:,:");
}

static FuzzArray
make_use (FuzzGenerator *self)
{
  FuzzArray array = begin (self, fuzz_type ("u1"), 1, FALSE, "use u1[2]");

  /* 0 and 1. */
  g_string_append (self->text, " leaf\n  data AAE=\n");
  return array;
}

static FuzzArray
make_fill (FuzzGenerator *self, AccElementType *type, guint rank)
{
  FuzzArray array = begin (self, type, rank, FALSE, "fill");

  say_extents (self, rank);
  fuzz_say_function (self, NULL, 0, type);
  return array;
}

static FuzzArray
make_map (FuzzGenerator *self, const FuzzArray *of, AccElementType *type)
{
  FuzzArray array = begin (self, type, of->rank, TRUE, "map a%u", of->number);

  fuzz_say_function (self, (AccElementType *[]){ of->type }, 1, type);
  return array;
}

/* "pN", from parameters of those types and ranks, to the last of them mapped to another. */
static guint
make_step (FuzzGenerator *self, const FuzzArray *const *states, guint n, AccElementType *type, gboolean is_loop)
{
  FuzzArray parameters[2] = { { 0 } }, results[2];
  g_autoptr(GArray) around = self->arrays;
  gboolean was_open = self->is_open;

  for (guint i = 0; i < n; i++)
    parameters[i] = make_parameter (self, states[i]->type, states[i]->rank, i);
  self->arrays = g_array_new (FALSE, FALSE, sizeof (FuzzArray));
  g_array_append_vals (self->arrays, around->data, around->len);
  g_array_append_vals (self->arrays, parameters, n);
  self->is_open = FALSE;
  if (is_loop)
    {
      results[0] = begin (self, fuzz_type ("i4"), 0, FALSE, "map a%u", parameters[0].number);
      g_string_append_printf (self->text,
                              " e0 = variable i4\n e1 = literal i4 1\n e2 = add e0 e1\n function e0 -> e2\n");
    }
  results[n - 1] = make_map (self, &parameters[n - 1], type);

  g_array_unref (self->arrays);
  self->arrays = g_steal_pointer (&around);
  self->is_open = was_open;
  g_string_append_printf (self->text, "p%u = program", self->n_programs);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (self->text, " a%u", parameters[i].number);
  g_string_append (self->text, " ->");
  for (guint i = is_loop ? 0 : n - 1; i < n; i++)
    g_string_append_printf (self->text, " a%u", results[i].number);
  g_string_append_c (self->text, '\n');

  return self->n_programs++;
}

/* Three times round, of a counter and an array. */
static FuzzArray
make_while_loop (FuzzGenerator *self, const FuzzArray *of)
{
  FuzzArray counter = begin (self, fuzz_type ("i4"), 0, FALSE, "fill"), seen[2], below, loop;
  guint step;

  g_string_append_printf (self->text, " e0 = tuple\n extents -> e0\n e1 = literal i4 0\n function -> e1\n");
  step = make_step (self, (const FuzzArray *[]){ &counter, of }, 2, of->type, TRUE);
  seen[0] = make_parameter (self, counter.type, 0, 0);
  seen[1] = make_parameter (self, of->type, of->rank, 1);
  below = begin (self, fuzz_type ("b1"), 0, FALSE, "map a%u", seen[0].number);
  g_string_append_printf (
      self->text,
      " e0 = variable i4\n e1 = literal i4 3\n e2 = lt e0 e1\n function e0 -> e2\np%u = program a%u a%u -> a%u\n",
      self->n_programs++, seen[0].number, seen[1].number, below.number);
  loop = begin (self, counter.type, 0, FALSE, "while_loop a%u a%u p%u p%u", counter.number, of->number,
                self->n_programs - 1, step);

  return begin (self, of->type, of->rank, TRUE, "loop_result a%u 1", loop.number);
}

static FuzzArray
make_foreign (FuzzGenerator *self, const FuzzArray *of)
{
  AccElementType *type = fuzz_pick (self, 4) ? of->type : any_type (self);
  guint fallback = make_step (self, &of, 1, type, FALSE), n = fuzz_pick (self, 11);
  const AccForeignTransform *transform = acc_foreign_nth_transform (n);

  return begin (self, type, of->rank, FALSE, "foreign \"%s\" p%u a%u",
                transform != NULL ? transform->name
                : n == 8          ? ACC_FOREIGN_PRODUCT
                : n == 9          ? FUZZ_FOREIGN
                                  : FUZZ_LAUNCH,
                fallback, of->number);
}

static AccElementType *
rows_type (AccElementType *type, guint n)
{
  AccElementType *items[3] = { type, type, type };

  return acc_element_type_new_tuple (items, n);
}

/* Three wide in the innermost dimension. */
static AccElementType *
neighbourhood (const FuzzArray *of)
{
  AccElementType *type = rows_type (of->type, 3);

  for (guint i = 1; i < of->rank; i++)
    type = rows_type (type, 1);
  return type;
}

static void
say_boundary (FuzzGenerator *self, const FuzzArray *of)
{
  static const char *const kinds[] = { "clamp", "mirror", "wrap" };
  guint kind = fuzz_pick (self, 5), index, body;

  if (kind < 3)
    {
      g_string_append_printf (self->text, " boundary %s\n", kinds[kind]);
      return;
    }
  index = kind == 3 ? 0 : fuzz_say_variable (self, fuzz_index_type (of->rank));
  body = fuzz_say_constant (self, of->type);
  if (kind == 3)
    g_string_append_printf (self->text, " boundary constant -> e%u\n", body);
  else
    g_string_append_printf (self->text, " boundary function e%u -> e%u\n", index, body);
}

static const char *
sizes_of (guint rank)
{
  return rank == 1 ? "sizes 3" : rank == 2 ? "sizes 1 3" : rank == 3 ? "sizes 1 1 3" : "sizes 1 1 1 3";
}

/* Every place but the first, which is twice there. */
static FuzzArray
make_permute (FuzzGenerator *self, const FuzzArray *of)
{
  AccElementType *pair
      = acc_element_type_new_tuple ((AccElementType *[]){ fuzz_type ("b1"), fuzz_index_type (of->rank) }, 2);
  FuzzArray targets = begin (self, pair, of->rank, FALSE, "generate"), array;

  say_extents_of (self, of, 0);
  {
    guint index = fuzz_say_variable (self, fuzz_index_type (of->rank)), taken = fuzz_say_constant (self, fuzz_type ("b1"));

    g_string_append_printf (self->text, " function e%u -> e%u\n", index,
                            fuzz_say (self, "tuple e%u e%u", taken, index));
  }
  array = begin (self, of->type, of->rank, TRUE, "permute a%u a%u a%u", of->number, of->number, targets.number);
  fuzz_say_function (self, (AccElementType *[]){ of->type, of->type }, 2, of->type);
  return array;
}

static FuzzArray
make_backpermute (FuzzGenerator *self, const FuzzArray *of)
{
  FuzzArray array = begin (self, of->type, of->rank, TRUE, "backpermute a%u", of->number);

  /* Where it is more, an index may be outside: that is found when it runs. */
  say_extents_of (self, of, fuzz_pick (self, 3) == 0 ? 1 : fuzz_pick (self, 2) ? -1 : 0);
  {
    guint index = fuzz_say_variable (self, fuzz_index_type (of->rank));

    g_string_append_printf (self->text, " function e%u -> e%u\n", index,
                            fuzz_pick (self, 2) ? index : fuzz_say_constant (self, fuzz_index_type (of->rank)));
  }
  return array;
}

static FuzzArray
make_reshape (FuzzGenerator *self, const FuzzArray *of)
{
  FuzzArray array = begin (self, of->type, 1, TRUE, "reshape a%u", of->number);
  guint size = fuzz_say_number (self, 1);

  for (guint i = 0; i < of->rank; i++)
    {
      guint extent = fuzz_say (self, "extent a%u %u", of->number, i);

      size = fuzz_say (self, "mul e%u e%u", size, extent);
    }
  g_string_append_printf (self->text, " extents -> e%u\n", size);
  return array;
}

static FuzzArray
make_slice (FuzzGenerator *self, const FuzzArray *of)
{
  static const char *const of_rank[] = { "", "0", "all 0", "0 all 0", "all all 0 all" };
  static const guint ranks[] = { 0, 0, 1, 1, 3 };

  return begin (self, of->type, ranks[of->rank], TRUE, "slice a%u %s", of->number, of_rank[of->rank]);
}

static FuzzArray
make_replicate (FuzzGenerator *self, const FuzzArray *of)
{
  static const char *const of_rank[] = { "3", "all 3", "2 all all", "all 2 all all", "all all all all" };

  return begin (self, of->type, MIN (of->rank + 1, 4), TRUE, "replicate a%u %s", of->number, of_rank[of->rank]);
}

static FuzzArray
make_fold (FuzzGenerator *self, const FuzzArray *of, const char *name)
{
  FuzzArray array
      = begin (self, of->type, strstr (name, "all") != NULL ? 0 : of->rank - 1, TRUE, "%s a%u", name, of->number);

  fuzz_say_function (self, (AccElementType *[]){ of->type, of->type }, 2, of->type);
  if (strstr (name, "1") == NULL)
    fuzz_say_function (self, NULL, 0, of->type);
  return array;
}

static FuzzArray
make_zip_with (FuzzGenerator *self, const FuzzArray *of, guint n)
{
  const FuzzArray *second = find (self, NULL, (int) of->rank), *third = find (self, NULL, (int) of->rank);
  AccElementType *type = any_type (self), *types[] = { of->type, second->type, third->type };
  FuzzArray array
      = n == 2 ? begin (self, type, of->rank, TRUE, "zip_with a%u a%u", of->number, second->number)
               : begin (self, type, of->rank, TRUE, "zip_with3 a%u a%u a%u", of->number, second->number, third->number);

  fuzz_say_function (self, types, n, type);
  return array;
}

static FuzzArray
make_stencil (FuzzGenerator *self, const FuzzArray *of, guint n)
{
  const FuzzArray *second = find (self, NULL, (int) of->rank);
  AccElementType *type = any_type (self), *types[] = { neighbourhood (of), neighbourhood (second) };
  FuzzArray array = n == 1 ? begin (self, type, of->rank, TRUE, "stencil a%u %s", of->number, sizes_of (of->rank))
                           : begin (self, type, of->rank, TRUE, "stencil2 a%u a%u %s %s", of->number, second->number,
                                    sizes_of (of->rank), sizes_of (of->rank));

  say_boundary (self, of);
  if (n == 2)
    say_boundary (self, second);
  fuzz_say_function (self, types, n, type);
  return array;
}

static FuzzArray
make_cond (FuzzGenerator *self, const FuzzArray *of)
{
  const FuzzArray *other = find (self, of->type, (int) of->rank), *flag = find (self, fuzz_type ("b1"), 0);
  FuzzArray made = { 0 };

  if (flag == NULL)
    {
      made = begin (self, fuzz_type ("b1"), 0, FALSE, "fill");
      g_string_append_printf (self->text, " e0 = tuple\n extents -> e0\n e1 = literal b1 %s\n function -> e1\n",
                              fuzz_pick (self, 2) ? "true" : "false");
      flag = &made;
    }

  return begin (self, of->type, of->rank, TRUE, "cond a%u a%u a%u", flag->number, of->number, other->number);
}

static FuzzArray
make_any (FuzzGenerator *self)
{
  const FuzzArray of = *find (self, NULL, -1);
  AccElementType *type = any_type (self), *index = fuzz_index_type (of.rank);
  guint n = fuzz_pick (self, of.rank > 0 ? 24 : 15);
  FuzzArray array;

  switch (n)
    {
    case 0:
      array = begin (self, type, 2, FALSE, "generate");
      say_extents (self, 2);
      fuzz_say_function (self, (AccElementType *[]){ fuzz_index_type (2) }, 1, type);
      return array;
    case 1:
      return make_cond (self, &of);
    case 2:
      return make_while_loop (self, &of);
    case 3:
      return make_foreign (self, &of);
    case 4:
      return begin (self, of.type, of.rank, TRUE, "compute a%u", of.number);
    case 5:
      return make_map (self, &of, type);
    case 6:
      array = begin (self, type, of.rank, TRUE, "imap a%u", of.number);
      fuzz_say_function (self, (AccElementType *[]){ index, of.type }, 2, type);
      return array;
    case 7:
    case 8:
      return make_zip_with (self, &of, n - 5);
    case 9:
      return begin (self, rows_type (of.type, 2), of.rank, FALSE, "zip a%u a%u", of.number, of.number);
    case 10:
      if (!acc_element_type_is_tuple (of.type) || acc_element_type_get_n_items (of.type) == 0)
        return make_map (self, &of, fuzz_type ("c8"));
      return begin (self, acc_element_type_get_item (of.type, 0), of.rank, TRUE, "unzip a%u 0", of.number);
    case 11:
      return make_reshape (self, &of);
    case 12:
      return make_replicate (self, &of);
    case 13:
      return make_permute (self, &of);
    case 14:
      return make_backpermute (self, &of);
    case 15:
      return make_slice (self, &of);
    case 16:
      return make_fold (self, &of, "fold");
    case 17:
      return make_fold (self, &of, "fold1");
    case 18:
      return make_fold (self, &of, "fold_all");
    case 19:
      return make_fold (self, &of, "fold1_all");
    case 20:
      array = begin (self, of.type, of.rank, TRUE, "scanl1 a%u", of.number);
      fuzz_say_function (self, (AccElementType *[]){ of.type, of.type }, 2, of.type);
      return array;
    case 21:
      array = begin (self, of.type, of.rank, TRUE, "sort a%u", of.number);
      fuzz_say_function (self, (AccElementType *[]){ of.type }, 1, fuzz_type (fuzz_pick (self, 2) ? "u4" : "u1"));
      return array;
    default:
      return make_stencil (self, &of, n - 21);
    }
}

char *
fuzz_generate (guint32 seed)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr(GArray) arrays = g_array_new (FALSE, FALSE, sizeof (FuzzArray));
  FuzzGenerator self = { rand, g_string_new ("acc program 1\n"), arrays, 0, 0, 0, TRUE };
  FuzzArray made[4];

  made[0] = make_parameter (&self, fuzz_type (fuzz_pick (&self, 2) ? "c8" : "f4"), 1 + fuzz_pick (&self, 3), 0);
  made[1] = make_parameter (&self, any_type (&self), fuzz_pick (&self, 4), 1);
  made[2] = make_fill (&self, any_type (&self), 1 + fuzz_pick (&self, 3));
  made[3] = make_use (&self);
  g_array_append_vals (arrays, made, 4);

  for (guint n = 1 + fuzz_pick (&self, 6); n > 0; n--)
    {
      FuzzArray array = make_any (&self);

      g_array_append_val (arrays, array);
    }

  g_string_append_printf (self.text, "program a%u a%u -> a%u a%u\n", made[0].number, made[1].number,
                          g_array_index (arrays, FuzzArray, arrays->len - 1).number,
                          g_array_index (arrays, FuzzArray, fuzz_pick (&self, arrays->len)).number);
  return g_string_free (self.text, FALSE);
}
