/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The picture of demos/ray-tracer, which is in Python, step by step the same. */

#include "acc-works.h"

/* An expression that is read more than once has an owner for that long. */
#define KEEP(name, value) g_autoptr (AccExpr) name = acc_expr_ref_sink (value)

#define N_SPHERES    5
#define ZOOM         1.4
#define AMBIENT      0.15
#define FLOOR_MIRROR 0.15
#define REFLECTIONS  3
#define NEAR         1e-3
#define FAR          50.

/* Centre, radius, colour, mirror */
static const float spheres[N_SPHERES][8] = {
  { -1.6, 1.0, 4.6, 1.0, 0.9, 0.2, 0.2, 0.3 },
  { 0.6, 0.7, 3.4, 0.7, 0.2, 0.6, 0.3, 0.2 },
  { 1.9, 1.3, 5.6, 1.3, 0.9, 0.9, 0.9, 0.8 },
  { -0.5, 0.35, 2.6, 0.35, 0.2, 0.3, 0.9, 0.1 },
  { -0.2, 2.6, 6.5, 0.9, 0.9, 0.7, 0.2, 0.5 },
};

static const double eye[] = { 0.13, 1.57, -2.03 }, lamp[] = { -5, 8, -3 }, up[] = { 0, 1, 0 };
static const double light_floor[] = { 0.85, 0.85, 0.8 }, dark_floor[] = { 0.25, 0.25, 0.3 };
static const double horizon[] = { 0.9, 0.95, 1 }, zenith[] = { 0.3, 0.5, 0.9 };

static AccExpr *
f4 (double x)
{
  return acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), x);
}

static AccExpr *
constant (const double *x)
{
  return acc_expr_tuple3 (f4 (x[0]), f4 (x[1]), f4 (x[2]));
}

static AccExpr *
each (AccExpr *a, AccExpr *b, AccExpr *(*operation) (AccExpr *, AccExpr *))
{
  return acc_expr_tuple3 (operation (acc_expr_item (a, 0), acc_expr_item (b, 0)),
                          operation (acc_expr_item (a, 1), acc_expr_item (b, 1)),
                          operation (acc_expr_item (a, 2), acc_expr_item (b, 2)));
}

static AccExpr *
times (AccExpr *a, AccExpr *factor)
{
  return acc_expr_tuple3 (acc_expr_mul (acc_expr_item (a, 0), factor), acc_expr_mul (acc_expr_item (a, 1), factor),
                          acc_expr_mul (acc_expr_item (a, 2), factor));
}

static AccExpr *
dot (AccExpr *a, AccExpr *b)
{
  return acc_expr_add (acc_expr_add (acc_expr_mul (acc_expr_item (a, 0), acc_expr_item (b, 0)),
                                     acc_expr_mul (acc_expr_item (a, 1), acc_expr_item (b, 1))),
                       acc_expr_mul (acc_expr_item (a, 2), acc_expr_item (b, 2)));
}

static AccExpr *
unit (AccExpr *a)
{
  KEEP (factor, acc_expr_fdiv (f4 (1), acc_expr_sqrt (dot (a, a))));

  return times (a, factor);
}

/* Item @first and the next two of a sphere */
static AccExpr *
part (AccExpr *sphere, guint first)
{
  return acc_expr_tuple3 (acc_expr_item (sphere, first), acc_expr_item (sphere, first + 1), acc_expr_item (sphere, first + 2));
}

typedef struct {
  AccArray *spheres;
  AccExpr  *origin, *direction;
} Ray;

/* From (i, distance, number) to the same after sphere i; the first item of what it returns says whether there is one. */
static AccExpr *
look_at_next (AccExpr *state, gpointer data)
{
  const Ray *ray = data;
  KEEP (i, acc_expr_item (state, 0));
  KEEP (distance, acc_expr_item (state, 1));
  KEEP (sphere, acc_expr_index (ray->spheres, i));
  KEEP (radius, acc_expr_item (sphere, 3));
  KEEP (centre, part (sphere, 0));
  KEEP (from_centre, each (ray->origin, centre, acc_expr_sub));
  KEEP (along, dot (from_centre, ray->direction));
  KEEP (past, acc_expr_sub (acc_expr_mul (along, along), dot (from_centre, from_centre)));
  KEEP (inside, acc_expr_add (past, acc_expr_mul (radius, radius)));
  KEEP (reached, acc_expr_sub (acc_expr_neg (along), acc_expr_sqrt (acc_expr_max (inside, f4 (0)))));
  KEEP (ahead, acc_expr_band (acc_expr_gt (inside, f4 (0)), acc_expr_gt (reached, f4 (NEAR))));
  KEEP (closer, acc_expr_band (ahead, acc_expr_lt (reached, distance)));

  return acc_expr_tuple2 (acc_expr_lt (i, acc_expr_extent (ray->spheres, 0)),
                          acc_expr_tuple3 (acc_expr_add (i, acc_expr_new_int (1)), acc_expr_cond (closer, reached, distance),
                                           acc_expr_cond (closer, i, acc_expr_item (state, 2))));
}

/* (i, distance, number) of the sphere that a ray meets; FAR and -1 where it meets none */
static AccExpr *
nearest (AccArray *array, AccExpr *origin, AccExpr *direction)
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  Ray ray = { array, origin, direction };

  return acc_expr_while (acc_expr_tuple3 (acc_expr_new_typed_int (i8, 0), f4 (FAR), acc_expr_new_typed_int (i8, -1)),
                         look_at_next, &ray);
}

/* Of a surface: what comes from everywhere, and from the lamp where no sphere is in the way */
static AccExpr *
brightness (AccArray *array, AccExpr *point, AccExpr *normal)
{
  KEEP (place, constant (lamp));
  KEEP (to_lamp, each (place, point, acc_expr_sub));
  KEEP (direction, unit (to_lamp));
  KEEP (met, nearest (array, point, direction));
  KEEP (distance, acc_expr_item (met, 1));
  AccExpr *lit = acc_expr_gt (acc_expr_mul (distance, distance), dot (to_lamp, to_lamp));
  AccExpr *light = acc_expr_add (f4 (AMBIENT), acc_expr_mul (f4 (1 - AMBIENT), acc_expr_max (dot (normal, direction), f4 (0))));

  return acc_expr_cond (lit, light, f4 (AMBIENT));
}

static AccExpr *
colour_of_floor (AccExpr *point)
{
  KEEP (sum, acc_expr_add (acc_expr_floor (acc_expr_item (point, 0)), acc_expr_floor (acc_expr_item (point, 2))));
  AccExpr *is_light = acc_expr_eq (acc_expr_mod_float (sum, f4 (2)), f4 (0));

  return acc_expr_cond (is_light, constant (light_floor), constant (dark_floor));
}

static AccExpr *
colour_of_sky (AccExpr *direction)
{
  KEEP (height, acc_expr_max (acc_expr_item (direction, 1), f4 (0)));
  KEEP (rest, acc_expr_sub (f4 (1), height));
  KEEP (low, constant (horizon));
  KEEP (high, constant (zenith));
  KEEP (below, times (low, rest));
  KEEP (above, times (high, height));

  return each (below, above, acc_expr_add);
}

/* From one surface to the next: a state (n, origin, direction, weight, colour). The weight is the part of the pixel's colour that
 * is still open. */
static AccExpr *
follow (AccExpr *state, gpointer array)
{
  KEEP (n, acc_expr_item (state, 0));
  KEEP (origin, acc_expr_item (state, 1));
  KEEP (direction, acc_expr_item (state, 2));
  KEEP (weight, acc_expr_item (state, 3));
  KEEP (colour, acc_expr_item (state, 4));
  KEEP (slope, acc_expr_item (direction, 1));

  KEEP (met, nearest (array, origin, direction));
  KEEP (to_sphere, acc_expr_item (met, 1));
  KEEP (to_floor, acc_expr_cond (acc_expr_lt (slope, f4 (-NEAR)),
                                 acc_expr_fdiv (acc_expr_item (origin, 1), acc_expr_neg (slope)), f4 (FAR)));
  KEEP (is_sphere, acc_expr_lt (to_sphere, to_floor));
  KEEP (distance, acc_expr_min (to_sphere, to_floor));
  KEEP (way, times (direction, distance));
  KEEP (point, each (origin, way, acc_expr_add));

  KEEP (sphere, acc_expr_index (array, acc_expr_max (acc_expr_item (met, 2), acc_expr_new_int (0))));
  KEEP (centre, part (sphere, 0));
  KEEP (from_centre, each (point, centre, acc_expr_sub));
  KEEP (inverse, acc_expr_fdiv (f4 (1), acc_expr_item (sphere, 3)));
  KEEP (normal, acc_expr_cond (is_sphere, times (from_centre, inverse), constant (up)));
  KEEP (mirror, acc_expr_cond (is_sphere, acc_expr_item (sphere, 7), f4 (FLOOR_MIRROR)));
  KEEP (surface, acc_expr_cond (is_sphere, part (sphere, 4), colour_of_floor (point)));
  KEEP (share, acc_expr_mul (acc_expr_mul (brightness (array, point, normal), weight), acc_expr_sub (f4 (1), mirror)));
  KEEP (own, times (surface, share));
  KEEP (turn, acc_expr_mul (f4 (2), dot (normal, direction)));
  KEEP (turned, times (normal, turn));
  KEEP (plain_sky, colour_of_sky (direction));
  KEEP (sky, times (plain_sky, weight));
  KEEP (next, acc_expr_add (n, acc_expr_new_int (1)));

  AccExpr *on_surface[] = {
    next, point, each (direction, turned, acc_expr_sub), acc_expr_mul (weight, mirror), each (colour, own, acc_expr_add),
  };
  AccExpr *in_sky[] = { next, origin, direction, f4 (0), each (colour, sky, acc_expr_add) };

  return acc_expr_tuple2 (acc_expr_band (acc_expr_le (n, acc_expr_new_int (REFLECTIONS)), acc_expr_gt (weight, f4 (0))),
                          acc_expr_cond (acc_expr_lt (distance, f4 (FAR)), acc_expr_tuple (on_surface, 5),
                                         acc_expr_tuple (in_sky, 5)));
}

typedef struct {
  AccArray *spheres;
  gint64    height, width;
} Scene;

static AccExpr *
middle_of_pixel (AccExpr *index, guint dimension)
{
  return acc_expr_add (acc_expr_cast (acc_expr_item (index, dimension), acc_element_type_new (ACC_KIND_F32)), f4 (0.5));
}

static AccExpr *
colour_of_pixel (AccExpr *index, gpointer data)
{
  const Scene *scene = data;
  double pixel = 1. / scene->height;
  AccExpr *right = acc_expr_mul (acc_expr_sub (middle_of_pixel (index, 1), f4 (scene->width / 2.)), f4 (pixel));
  AccExpr *top = acc_expr_mul (acc_expr_sub (f4 (scene->height / 2.), middle_of_pixel (index, 0)), f4 (pixel));
  KEEP (way, acc_expr_tuple3 (right, top, f4 (ZOOM)));
  AccExpr *state[] = {
    acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0), constant (eye), unit (way), f4 (1),
    constant ((double[]) { 0, 0, 0 }),
  };

  return acc_expr_item (acc_expr_while (acc_expr_tuple (state, 5), follow, scene->spheres), 4);
}

/* One byte of a pixel */
static AccExpr *
channel (AccExpr *index, AccExpr *colour, gpointer data)
{
  KEEP (number, acc_expr_item (index, 2));
  AccExpr *light = acc_expr_cond (acc_expr_eq (number, acc_expr_new_int (0)), acc_expr_item (colour, 0),
                                  acc_expr_cond (acc_expr_eq (number, acc_expr_new_int (1)), acc_expr_item (colour, 1),
                                                 acc_expr_item (colour, 2)));

  return acc_expr_cast (acc_expr_round (acc_expr_mul (acc_expr_min (light, f4 (1)), f4 (255))), acc_element_type_new (ACC_KIND_U8));
}

static AccArray *
build (AccArray **a, guint n, gpointer data)
{
  const gint64 channels[] = { ACC_ALL, ACC_ALL, 3 };
  Scene *scene = data;
  g_autoptr(AccShape) shape = acc_shape_new_matrix (scene->height, scene->width);
  g_autoptr(AccArray) delayed = acc_array_generate (shape, colour_of_pixel, scene);
  /* All three channels read the colours: compute them once. */
  g_autoptr(AccArray) colours = acc_array_compute (delayed);
  g_autoptr(AccArray) threefold = acc_array_replicate (colours, channels, 3);

  return acc_array_imap (threefold, channel, NULL);
}

static gpointer
prepare (gsize height)
{
  AccElementType *type = acc_element_type_parse ("(f4,f4,f4,f4,f4,f4,f4,f4)", NULL);
  g_autoptr(AccShape) shape = acc_shape_new_vector (N_SPHERES);
  GBytes *leaves[8];
  Scene scene = { .height = height, .width = height * 3 / 2 };

  for (guint leaf = 0; leaf < 8; leaf++)
    {
      float numbers[N_SPHERES];

      for (guint i = 0; i < N_SPHERES; i++)
        numbers[i] = spheres[i][leaf];
      leaves[leaf] = g_bytes_new (numbers, sizeof numbers);
    }
  scene.spheres = acc_array_use_buffers (type, shape, leaves, 8);
  for (guint leaf = 0; leaf < 8; leaf++)
    g_bytes_unref (leaves[leaf]);

  AccWork *self = acc_work_compile (acc_work_new (), build, &scene);

  g_object_unref (scene.spheres);
  return self;
}

const Work acc_rays[] = {
  { "ray-tracer", prepare, acc_work_run, acc_work_check, acc_work_free },
  { NULL },
};
