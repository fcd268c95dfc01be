/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-regions.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-foreign-known-private.h"
#include "acc-core/expr/acc-trace-private.h"
#include "acc-array-expand.h"
#include "acc-array-filter.h"
#include "acc-array-math.h"
#include "acc-error.h"
#include "acc-components-private.h"

/* Rows are parted into runs of connected elements, and runs are the vertices of a graph: its edges are the places where a run touches one
 * of a row before, each pair of runs about once (He, Chao, Suzuki 2008 label by runs). The least run of a component has its first element
 * in row-major order. */

#define MAX_RANK    ACC_COMPONENTS_MAX_RANK
#define MAX_OFFSETS ACC_COMPONENTS_MAX_OFFSETS

typedef struct {
  AccArray       *array;
  guint           rank;
  guint           connectivity;
  AccElementType *number;       /* of runs and labels */
  AccElementType *code;
  AccExprFunc2    connects;
  gpointer        data;
  gint64          offsets[MAX_OFFSETS][MAX_RANK];     /* to neighbours in rows before, as many as there are dimensions each */
  guint           n_offsets;
} Labelling;

/* --- elements with what is inside: ((b1, x), whether a run begins) */

static AccExpr *
connect (const Labelling *self,
         AccExpr         *before,
         AccExpr         *x)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_item (before, 1)), b = acc_expr_ref_sink (acc_expr_item (x, 1));
  AccExpr *inside = acc_expr_land (acc_expr_item (before, 0), acc_expr_item (x, 0));
  g_autoptr(AccExpr) connected = acc_expr_take_result (acc_call2 (self->connects, a, b, self->data));
  AccElementType *type = acc_expr_get_element_type (connected);

  if (type != NULL && type != acc_element_type_new (ACC_KIND_BOOL))
    {
      acc_expr_unref (acc_expr_ref_sink (inside));
      return acc_expr_new_error_literal (ACC_ERROR_TYPE, "label_components_by: whether elements are connected is a b1, not %s",
                                         acc_element_type_get_code (type));
    }

  return acc_expr_land (inside, connected);
}

/* The row before it has another one, or none, in front of it. */
static AccExpr *
begins_run (AccExpr *n,
            gpointer data)
{
  const Labelling *self = data;
  gint64 offset[MAX_RANK] = { 0 };
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_neighbour (n, offset, self->rank));
  g_autoptr(AccExpr) before = NULL;

  offset[self->rank - 1] = -1;
  before = acc_expr_ref_sink (acc_expr_neighbour (n, offset, self->rank));

  return acc_expr_land (acc_expr_item (x, 0), acc_expr_lnot (connect (self, before, x)));
}

/* The neighbour at @offset of the element @shift behind the centre. */
static AccExpr *
at (const Labelling *self,
    AccExpr         *n,
    const gint64    *offset,
    gint64           shift)
{
  gint64 place[MAX_RANK] = { 0 };

  for (guint d = 0; d < self->rank && offset != NULL; d++)
    place[d] = offset[d];
  place[self->rank - 1] += shift;

  return acc_expr_neighbour (n, place, self->rank);
}

static AccExpr *
continues (const Labelling *self,
           AccExpr         *n,
           const gint64    *offset)
{
  return acc_expr_lnot (acc_expr_item (at (self, n, offset, 0), 1));
}

/* Whether the element @shift behind the centre touches that at @offset from it. */
static AccExpr *
touches (const Labelling *self,
         AccExpr         *n,
         const gint64    *offset,
         gint64           shift)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_expr_item (at (self, n, NULL, shift), 0));
  g_autoptr(AccExpr) before = acc_expr_ref_sink (acc_expr_item (at (self, n, offset, shift), 0));

  return connect (self, before, x);
}

/* The number of the offset that is @offset moved along the row, or that of none. */
static guint
find_offset (const Labelling *self,
             const gint64    *offset,
             gint64           shift)
{
  guint i;

  for (i = 0; i < self->n_offsets; i++)
    if (memcmp (self->offsets[i], offset, (self->rank - 1) * sizeof (gint64)) == 0
        && self->offsets[i][self->rank - 1] == offset[self->rank - 1] + shift)
      break;

  return i;
}

/* A bit for each offset at which it touches a run that its own run has not touched just before. */
static AccExpr *
list_contacts (AccExpr *n,
               gpointer data)
{
  const Labelling *self = data;
  AccElementType *type = acc_element_type_new (ACC_KIND_U64);
  AccExpr *here[MAX_OFFSETS], *earlier[MAX_OFFSETS] = { NULL }, *code = acc_expr_new_typed_uint (type, 0);
  g_autoptr(AccExpr) own = acc_expr_ref_sink (continues (self, n, NULL));

  for (guint i = 0; i < self->n_offsets; i++)
    {
      here[i] = acc_expr_ref_sink (touches (self, n, self->offsets[i], 0));
      if (self->offsets[i][self->rank - 1] >= 0)
        earlier[i] = acc_expr_ref_sink (touches (self, n, self->offsets[i], -1));
    }

  for (guint i = 0; i < self->n_offsets; i++)
    {
      guint left = find_offset (self, self->offsets[i], -1), right = find_offset (self, self->offsets[i], 1);
      g_autoptr(AccExpr) other = acc_expr_ref_sink (continues (self, n, self->offsets[i]));
      AccExpr *known = acc_expr_new_bool (FALSE);

      if (earlier[i] != NULL)
        known = acc_expr_lor (known, acc_expr_land (earlier[i], acc_expr_land (own, other)));
      if (left < self->n_offsets)
        known = acc_expr_lor (known, acc_expr_land (here[left], other));
      if (right < self->n_offsets)
        known = acc_expr_lor (known, acc_expr_land (earlier[right], own));

      code = acc_expr_bor (code, acc_expr_cond (acc_expr_land (here[i], acc_expr_lnot (known)),
                                                acc_expr_new_typed_uint (type, G_GUINT64_CONSTANT (1) << i),
                                                acc_expr_new_typed_uint (type, 0)));
    }

  for (guint i = 0; i < self->n_offsets; i++)
    {
      acc_expr_unref (here[i]);
      g_clear_pointer (&earlier[i], acc_expr_unref);
    }

  return code;
}

/* @contacts: an u64. Both others are b1. */
static AccExpr *
pack (const Labelling *self,
      AccExpr         *contacts,
      AccExpr         *inside,
      AccExpr         *begins)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_U64);
  AccExpr *nothing = acc_expr_new_typed_uint (type, 0);
  AccExpr *code = acc_expr_cond (inside, acc_expr_new_typed_uint (type, ACC_COMPONENTS_INSIDE), nothing);

  code = acc_expr_bor (code, acc_expr_cond (begins, acc_expr_new_typed_uint (type, ACC_COMPONENTS_BEGINS),
                                            acc_expr_new_typed_uint (type, 0)));
  if (contacts != NULL)
    code = acc_expr_bor (code, acc_expr_shl (contacts, acc_expr_new_typed_uint (type, ACC_COMPONENTS_CONTACTS)));

  return acc_expr_cast (code, self->code);
}

/* Of the element in the centre. */
static AccExpr *
code_of (AccExpr *n,
         gpointer data)
{
  g_autoptr(AccExpr) centre = acc_expr_ref_sink (at (data, n, NULL, 0));

  return pack (data, list_contacts (n, data), acc_expr_item (acc_expr_item (centre, 0), 0), acc_expr_item (centre, 1));
}

static AccExpr *
code_alone (AccExpr *cell,
            AccExpr *begins,
            gpointer data)
{
  return pack (data, NULL, acc_expr_item (cell, 0), begins);
}

static AccExpr *
has_bit (AccExpr *code,
         guint    bit)
{
  AccElementType *type = acc_expr_get_element_type (code);

  return acc_expr_ne (acc_expr_band (code, acc_expr_new_typed_uint (type, bit)), acc_expr_new_typed_uint (type, 0));
}

static AccExpr *
add_flag (AccExpr *x,
          AccExpr *flag,
          gpointer data)
{
  return acc_expr_tuple2 (x, flag);
}

/* --- the graph of runs */

static AccExpr *
count_begin (AccExpr *code,
             gpointer type)
{
  return acc_expr_cast (has_bit (code, ACC_COMPONENTS_BEGINS), type);
}

static AccExpr *
place_and_code (AccExpr *place,
                AccExpr *code,
                gpointer data)
{
  AccElementType *type = acc_element_type_new (ACC_KIND_U64);

  return acc_expr_tuple2 (acc_expr_item (place, 0), acc_expr_shr (acc_expr_cast (code, type),
                                                                  acc_expr_new_typed_uint (type, ACC_COMPONENTS_CONTACTS)));
}

static AccExpr *
has_contacts (AccExpr *code,
              gpointer data)
{
  return acc_expr_ge (code, acc_expr_new_typed_uint (acc_expr_get_element_type (code), 1 << ACC_COMPONENTS_CONTACTS));
}

static AccExpr *
count_contacts (AccExpr *contact,
                gpointer data)
{
  return acc_expr_cast (acc_expr_popcount (acc_expr_item (contact, 1)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
drop_lowest (AccExpr *code,
             gpointer data)
{
  AccExpr *one = acc_expr_new_typed_uint (acc_element_type_new (ACC_KIND_U64), 1);

  return acc_expr_band (code, acc_expr_sub (code, one));
}

typedef struct {
  const Labelling *labelling;
  AccArray        *codes, *runs;        /* runs counted up to each element, in row-major order */
} Contacts;

/* How many elements are from the neighbour at @offset to the element. */
static AccExpr *
distance_of (const Contacts *self,
             const gint64   *offset)
{
  AccExpr *distance = acc_array_number (0);

  for (guint d = 0; d < self->labelling->rank; d++)
    distance = acc_expr_sub (acc_expr_mul (distance, acc_expr_extent (self->codes, d)), acc_array_number (offset[d]));

  return distance;
}

static AccExpr *
run_at (const Contacts *self,
        AccExpr        *place)
{
  return acc_expr_sub (acc_expr_linear_index (self->runs, place), acc_expr_new_typed_int (self->labelling->number, 1));
}

/* The edge of bit @which of (place, code). */
static AccExpr *
edge_of (AccExpr *contact,
         AccExpr *which,
         gpointer data)
{
  const Contacts *self = data;
  const Labelling *labelling = self->labelling;
  AccElementType *index = acc_element_type_new (ACC_KIND_I64);
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_item (contact, 0));
  AccExpr *alternatives[MAX_OFFSETS], *distance;

  for (guint i = 0; i < labelling->n_offsets; i++)
    alternatives[i] = distance_of (self, labelling->offsets[i]);
  if (labelling->n_offsets == 1)
    distance = alternatives[0];
  else
    {
      AccExpr *bit = acc_expr_ctz (acc_expr_iterate (which, acc_expr_item (contact, 1), drop_lowest, NULL));

      distance = acc_expr_switch (acc_expr_cast (bit, index), alternatives, labelling->n_offsets, acc_array_number (0));
    }

  return acc_expr_tuple2 (run_at (self, acc_expr_sub (place, distance)), run_at (self, place));
}

static AccExpr *
only_edge_of (AccExpr *contact,
              gpointer data)
{
  return edge_of (contact, NULL, data);
}

/* --- numbers */

typedef struct {
  const Labelling *labelling;
  AccArray        *labels;      /* of runs */
} Numbers;

static AccExpr *
label_of (AccExpr *code,
          AccExpr *run,
          gpointer data)
{
  const Numbers *self = data;
  AccExpr *place = acc_expr_sub (acc_expr_cast (run, acc_element_type_new (ACC_KIND_I64)), acc_array_number (1));

  return acc_expr_cond (has_bit (code, ACC_COMPONENTS_INSIDE), acc_expr_linear_index (self->labels, place),
                        acc_expr_new_typed_int (self->labelling->number, 0));
}

/* @cells: (whether it is inside, x) */
static AccArray *
find_codes (Labelling *self,
            AccArray  *cells)
{
  gint64 widths[MAX_RANK], row[MAX_RANK];
  AccExpr *outside = acc_expr_tuple2 (acc_expr_new_bool (FALSE), acc_expr_new_zero (self->array->type));
  g_autoptr(AccExpr) nothing = acc_expr_ref_sink (outside);
  g_autoptr(AccBoundary) boundary = acc_boundary_new_constant (nothing);
  g_autoptr(AccBoundary) edge = acc_boundary_new_constant (acc_expr_tuple2 (nothing, acc_expr_new_bool (FALSE)));
  g_autoptr(AccArray) begins = NULL, marked = NULL;

  for (guint d = 0; d < self->rank; d++)
    {
      widths[d] = 3;
      row[d] = d + 1 == self->rank ? 3 : 1;
    }

  begins = acc_array_stencil (cells, row, self->rank, boundary, begins_run, self);
  if (self->n_offsets == 0)
    return acc_array_zip_with (cells, begins, code_alone, self);

  marked = acc_array_zip_with (cells, begins, add_flag, NULL);
  return acc_array_stencil (marked, widths, self->rank, edge, code_of, self);
}

static void
offer (Labelling  *self,
       AccArray   *array,
       const char *name,
       AccArray   *codes)
{
  g_autofree char *full = g_strdup_printf ("%s%u", name, self->connectivity);

  acc_array_offer (array, full, &codes, 1);
}

/* @cells: (whether it is inside, x) */
static AccArray *
label (Labelling *self,
       AccArray  *cells,
       AccArray **n_labels)
{
  g_autoptr(AccArray) codes = find_codes (self, cells), flat = NULL, ones = NULL, runs = NULL, n_runs = NULL, flags = NULL, places = NULL,
    contacts = NULL, edges = NULL, roots = NULL, shaped = NULL, labels = NULL;
  g_autofree AccExpr **extents = NULL;
  Contacts graph = { self, codes, NULL };
  AccArray *result;

  if (codes->error != NULL)
    {
      if (n_labels != NULL)
        *n_labels = g_object_ref (codes);
      return g_object_ref (codes);
    }

  flat = acc_array_flatten (codes);
  ones = acc_array_map (flat, count_begin, self->number);
  graph.runs = runs = acc_array_scanl1 (ones, acc_array_add_elements, NULL);
  n_runs = acc_array_sum_all (ones);
  extents = acc_array_list_extents (codes);

  if (self->n_offsets > 0)
    {
      flags = acc_array_map (flat, has_contacts, NULL);
      places = acc_array_imap (flat, place_and_code, NULL);
      contacts = acc_array_compact (places, flags, NULL);
      edges = self->n_offsets == 1 ? acc_array_map (contacts, only_edge_of, &graph)
                                   : acc_array_expand (contacts, count_contacts, NULL, edge_of, &graph);
      roots = acc_components_find_roots (n_runs, self->number, edges);
    }
  else
    roots = acc_components_list_vertices (n_runs, self->number);

  labels = acc_components_number_roots (roots, self->number, n_labels);
  if (n_labels != NULL)
    offer (self, *n_labels, ACC_COMPONENTS_COUNT, codes);

  shaped = acc_array_reshape_expr (runs, acc_array_join_items (extents, self->rank));
  result = acc_array_zip_with (codes, shaped, label_of, &(Numbers) { self, labels });
  offer (self, result, ACC_COMPONENTS_LABELS, codes);
  return result;
}

/* --- arguments */

/* An error, or NULL; @self is filled. */
static AccArray *
refuse (Labelling  *self,
        const char *operation,
        AccArray   *mask)
{
  AccArray *array = self->array;
  AccArray *node = acc_array_begin (ACC_OP_STENCIL, (AccArray *[]) { array, mask }, mask != NULL ? 2 : 1);
  AccShape *shape;

  if (node->error == NULL && array->rank == 0)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an element of an array of rank 0 has no neighbours", operation);
  if (node->error == NULL && array->rank > MAX_RANK)
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: an array of rank %u, where %d is the most", operation, array->rank, MAX_RANK);
  if (node->error == NULL && (self->connectivity < 1 || self->connectivity > array->rank))
    acc_array_fail (node, ACC_ERROR_SHAPE, "%s: a connectivity of %u, where an array of rank %u has 1 to %u", operation,
                    self->connectivity, array->rank, array->rank);
  if (node->error == NULL && mask != NULL && mask->type != acc_element_type_new (ACC_KIND_BOOL))
    acc_array_fail (node, ACC_ERROR_TYPE, "%s: a mask is b1, not %s", operation, acc_element_type_get_code (mask->type));
  if (node->error == NULL && self->connects == NULL)
    acc_array_fail_argument (node, "a function");
  if (node->error == NULL && mask != NULL)
    {
      g_autofree char *what = g_strdup_printf ("%s: a mask", operation);

      acc_array_check_extents (node, what, array, mask);
    }
  if (node->error != NULL)
    return node;
  g_object_unref (node);

  shape = acc_array_get_shape (array);
  self->number = acc_element_type_new (shape != NULL && acc_shape_get_size (shape) <= G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64);
  self->rank = array->rank;
  self->code = acc_components_get_code_type (self->rank, self->connectivity);
  self->n_offsets = acc_components_list_offsets (self->rank, self->connectivity, self->offsets);
  return NULL;
}

static AccExpr *
with_foreground (AccExpr *x,
                 gpointer data)
{
  AccExpr *zero = acc_expr_new_zero (acc_expr_get_element_type (x));

  return acc_expr_tuple2 (acc_expr_lnot (acc_array_same_elements (x, zero, NULL)), x);
}

static AccExpr *
with_true (AccExpr *x,
           gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (TRUE), x);
}

/**
 * acc_array_label_components:
 * @self: an array of rank 1 to 4, of any element type
 * @connectivity: in how many dimensions at most neighbours differ by 1: from 1 to the rank of @self. In a picture 1 means 4 neighbours and
 *   2 means 8; in 3 dimensions 1, 2 and 3 mean 6, 18 and 26
 * @n_labels: (out) (optional) (transfer full): the number of components, an i8 of rank 0
 *
 * Finds the connected components, which are sets of equal elements that neighbours link, and gives each element the number of its own.
 *
 * Elements that are 0, or false, or tuples of such, are the background: their label is 0. Components have the labels 1, 2, … in
 * row-major order of their first elements, so that there is one answer. NaN equals NaN here. Of b1 this is what `scipy.ndimage.label` does,
 * with a structure of that connectivity; of other elements `skimage.measure.label`.
 *
 * Labels are i4 where it is known, before a run, that @self has less than 2^31 elements, and else i8: so are those of a program's
 * parameters without declared extents.
 *
 * Takes time linear in the size of @self, and rounds over runs of connected elements within rows and over the edges between these: at
 * most 2 log2 r of r runs, in practice 3 to 8. Labels of a source that do not fit in the memory limit take two walks instead, and no
 * rounds. The result carries %ACC_ERROR_SHAPE where @self has another rank or @connectivity is out of
 * range.
 *
 * The runs are after He, Chao and Suzuki, "A run-based two-scan labeling algorithm" (2008), the rounds after Shiloach and Vishkin, "An
 * O(log n) parallel connectivity algorithm" (1982).
 *
 * ```c
 * // xs = [[5, 0, 7], [5, 7, 7], [0, 0, 5]]
 * g_autoptr(AccArray) n_labels = NULL;
 * g_autoptr(AccArray) labels = acc_array_label_components (xs, 1, &n_labels); // → [[1, 0, 2], [1, 2, 2], [0, 0, 3]]
 * // n_labels → 3
 * ```
 *
 * Returns: (transfer full): an array of i4 or i8 of the extents of @self
 */
AccArray *
acc_array_label_components (AccArray  *self,
                            guint      connectivity,
                            AccArray **n_labels)
{
  ACC_ARRAY_NAMED ("label_components");
  Labelling labelling = { .array = self, .connectivity = connectivity, .connects = acc_array_same_elements };
  AccArray *refused = refuse (&labelling, "label_components", NULL);
  g_autoptr(AccArray) cells = NULL;

  if (refused != NULL)
    return acc_array_refuse (refused, n_labels);

  cells = acc_array_map (self, with_foreground, NULL);
  return label (&labelling, cells, n_labels);
}

/**
 * acc_array_label_components_by:
 * @self: an array of rank 1 to 4, of any element type
 * @mask: (nullable): which elements have labels: b1, of the same extents; %NULL: all
 * @connectivity: as for [method@Array.label_components]
 * @connects: (scope call) (closure user_data): takes two neighbours, the one first that comes first in row-major order, gives whether they
 *   are connected: a b1
 * @user_data: data for @connects
 * @n_labels: (out) (optional) (transfer full): the number of components, an i8 of rank 0
 *
 * Finds the connected components of elements that a function connects. Works as [method@Array.label_components] does, with @mask in place
 * of a background.
 *
 * @connects need not be transitive: where it holds for neighbours whose difference is small, a component is a region without steps. While
 * the graph is built it is called for each direction, and for elements outside @self, which are 0; what it gives for those does not count.
 * Takes time as [method@Array.label_components] does, times the cost of @connects. A @connects that does not give a b1, or a @mask of
 * another type, is %ACC_ERROR_TYPE; a mask of other extents is %ACC_ERROR_SHAPE while building, or %ACC_ERROR_BOUNDS when run, where the
 * extents are known only then.
 *
 * ```c
 * static AccExpr *
 * is_near (AccExpr *x, AccExpr *y, gpointer data)
 * {
 *   return acc_expr_le (acc_expr_abs (acc_expr_sub (x, y)), acc_expr_new_int (1));
 * }
 *
 * // xs = [[1, 2, 3], [9, 8, 3], [1, 1, 5]]
 * g_autoptr(AccArray) n_labels = NULL;
 * g_autoptr(AccArray) labels = acc_array_label_components_by (xs, NULL, 1, is_near, NULL, &n_labels); // → [[1, 1, 1], [2, 2, 1], [3, 3, 4]]
 * // n_labels → 4
 * ```
 *
 * Returns: (transfer full): an array of i4 or i8 of the extents of @self
 */
AccArray *
acc_array_label_components_by (AccArray      *self,
                               AccArray      *mask,
                               guint          connectivity,
                               AccExprFunc2   connects,
                               gpointer       user_data,
                               AccArray     **n_labels)
{
  ACC_ARRAY_NAMED ("label_components_by");
  Labelling labelling = { .array = self, .connectivity = connectivity, .connects = connects, .data = user_data };
  AccArray *refused = refuse (&labelling, "label_components_by", mask);
  g_autoptr(AccArray) cells = NULL, inside = NULL;

  if (refused != NULL)
    return acc_array_refuse (refused, n_labels);

  if (mask == NULL)
    cells = acc_array_map (self, with_true, NULL);
  else
    {
      inside = acc_array_match_extents (self, mask);
      cells = acc_array_zip (inside, self);
    }

  return label (&labelling, cells, n_labels);
}
