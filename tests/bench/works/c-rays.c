/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The picture of demos/ray-tracer: vectors of neighbouring pixels, whose rays go on until the last of them has ended. */

#include "c-works.h"
#include "lanes.h"

#include <stdlib.h>

typedef struct {
  StreamF4 x, y, z;
} Vector;

typedef struct {
  float centre[3], radius, colour[3], mirror;
} Sphere;

static const Sphere spheres[] = {
  { { -1.6f, 1.0f, 4.6f }, 1.0f, { 0.9f, 0.2f, 0.2f }, 0.3f },
  { { 0.6f, 0.7f, 3.4f }, 0.7f, { 0.2f, 0.6f, 0.3f }, 0.2f },
  { { 1.9f, 1.3f, 5.6f }, 1.3f, { 0.9f, 0.9f, 0.9f }, 0.8f },
  { { -0.5f, 0.35f, 2.6f }, 0.35f, { 0.2f, 0.3f, 0.9f }, 0.1f },
  { { -0.2f, 2.6f, 6.5f }, 0.9f, { 0.9f, 0.7f, 0.2f }, 0.5f },
};

#define EYE          0.13f, 1.57f, -2.03f
#define LAMP         -5.0f, 8.0f, -3.0f
#define HORIZON      0.9f, 0.95f, 1.0f
#define ZENITH       0.3f, 0.5f, 0.9f
#define LIGHT_FLOOR  0.85f, 0.85f, 0.8f
#define DARK_FLOOR   0.25f, 0.25f, 0.3f
#define FLOOR_MIRROR 0.15f
#define ZOOM         1.4f
#define AMBIENT      0.15f
#define REFLECTIONS  3
#define NEAR         1e-3f
#define FAR          50.f

static const StreamF4 zero;

static inline Vector
vector (float x, float y, float z)
{
  return (Vector) { zero + x, zero + y, zero + z };
}

static inline Vector
add (Vector a, Vector b)
{
  return (Vector) { a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline Vector
sub (Vector a, Vector b)
{
  return (Vector) { a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline Vector
times (Vector a, StreamF4 factor)
{
  return (Vector) { a.x * factor, a.y * factor, a.z * factor };
}

static inline StreamF4
dot (Vector a, Vector b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vector
unit (Vector a)
{
  return times (a, 1 / lanes_sqrt (dot (a, a)));
}

static inline Vector
choose (StreamI4 mask, Vector yes, Vector no)
{
  return (Vector) { lanes_choose (mask, yes.x, no.x), lanes_choose (mask, yes.y, no.y), lanes_choose (mask, yes.z, no.z) };
}

/* How far it is to a sphere, at most FAR, and the number of that sphere. */
static inline StreamF4
nearest (Vector origin, Vector direction, StreamI4 *number)
{
  StreamF4 distance = zero + FAR;

#pragma GCC unroll 8
  for (gsize i = 0; i < G_N_ELEMENTS (spheres); i++)
    {
      const Sphere *s = &spheres[i];
      Vector from_centre = sub (origin, vector (s->centre[0], s->centre[1], s->centre[2]));
      StreamF4 along = dot (from_centre, direction);
      StreamF4 inside = along * along - dot (from_centre, from_centre) + s->radius * s->radius;
      StreamF4 reached = -along - lanes_sqrt (lanes_max (inside, zero));
      StreamI4 closer = (inside > 0) & (reached > NEAR) & (reached < distance);

      distance = lanes_choose (closer, reached, distance);
      *number = lanes_choose_i4 (closer, (StreamI4) zero + (gint32) i, *number);
    }

  return distance;
}

static inline StreamF4
brightness (Vector point, Vector normal)
{
  StreamI4 number = (StreamI4) zero;
  Vector to_lamp = sub (vector (LAMP), point);
  StreamF4 square = dot (to_lamp, to_lamp);
  Vector direction = times (to_lamp, 1 / lanes_sqrt (square));
  StreamF4 distance = nearest (point, direction, &number);
  StreamF4 light = AMBIENT + (1 - AMBIENT) * lanes_max (dot (normal, direction), zero);

  return lanes_choose (distance * distance > square, light, zero + AMBIENT);
}

static inline StreamF4
rounded_down (StreamF4 x)
{
#if defined (__AVX512F__)
  return (StreamF4) _mm512_floor_ps ((__m512) x);
#elif defined (__AVX__)
  return (StreamF4) _mm256_floor_ps ((__m256) x);
#else
  for (gsize i = 0; i < STREAM_LANES; i++)
    x[i] = floorf (x[i]);
  return x;
#endif
}

static inline StreamI4
is_light (Vector point)
{
  StreamF4 half = (rounded_down (point.x) + rounded_down (point.z)) * 0.5f;

  return rounded_down (half) == half;
}

static Vector
colours (Vector direction)
{
  Vector origin = vector (EYE), colour = vector (0, 0, 0);
  StreamF4 weight = zero + 1;

  for (int n = 0; n <= REFLECTIONS && lanes_any (weight > 0); n++)
    {
      StreamI4 number = (StreamI4) zero - 1;
      StreamF4 to_sphere = nearest (origin, direction, &number);
      StreamF4 to_floor = lanes_choose (direction.y < -NEAR, origin.y / -direction.y, zero + FAR);
      StreamF4 distance = lanes_min (to_sphere, to_floor);
      StreamI4 met = distance < FAR, is_sphere = to_sphere < to_floor;
      Vector point = add (origin, times (direction, distance));
      Vector normal = vector (0, 1, 0), own = choose (is_light (point), vector (LIGHT_FLOOR), vector (DARK_FLOOR));
      StreamF4 mirror = zero + FLOOR_MIRROR;
      StreamF4 up = lanes_max (direction.y, zero);
      Vector sky = add (times (vector (HORIZON), 1 - up), times (vector (ZENITH), up));

      for (gsize i = 0; i < G_N_ELEMENTS (spheres); i++)
        {
          const Sphere *s = &spheres[i];
          StreamI4 here = is_sphere & (number == (gint32) i);

          if (!lanes_any (here))
            continue;
          normal = choose (here, times (sub (point, vector (s->centre[0], s->centre[1], s->centre[2])), zero + 1 / s->radius),
                           normal);
          own = choose (here, vector (s->colour[0], s->colour[1], s->colour[2]), own);
          mirror = lanes_choose (here, zero + s->mirror, mirror);
        }

      if (lanes_any (met))
        own = times (own, brightness (point, normal) * (1 - mirror));
      colour = add (colour, times (choose (met, own, sky), weight));
      weight = lanes_choose (met, weight * mirror, zero);
      direction = choose (met, sub (direction, times (normal, 2 * dot (normal, direction))), direction);
      origin = choose (met, point, origin);
    }

  return colour;
}

/* --- works */

typedef struct {
  gsize   height, width;
  guint8 *picture;
} Picture;

static inline void
channel (StreamF4 light, guint8 *pixels, gsize n)
{
  light = lanes_min (light, zero + 1) * 255;
  for (gsize i = 0; i < n; i++)
    pixels[3 * i] = rintf (light[i]);
}

static void
run (gpointer data)
{
  Picture *p = data;

#pragma omp parallel for schedule(dynamic, 4)
  for (gsize y = 0; y < p->height; y++)
    for (gsize x = 0; x < p->width; x += STREAM_LANES)
      {
        guint8 *pixels = p->picture + 3 * (y * p->width + x);
        gsize n = MIN (STREAM_LANES, p->width - x);
        StreamF4 right = zero + (x + 0.5f);

        for (gsize i = 0; i < STREAM_LANES; i++)
          right[i] += i;

        Vector ray = { (right - p->width / 2.f) / (float) p->height, zero + (p->height / 2.f - y - 0.5f) / p->height, zero + ZOOM };
        Vector colour = colours (unit (ray));

        channel (colour.x, pixels, n);
        channel (colour.y, pixels + 1, n);
        channel (colour.z, pixels + 2, n);
      }
}

static gpointer
prepare (gsize height)
{
  Picture *p = g_new (Picture, 1);

  p->height = height;
  p->width = height * 3 / 2;
  p->picture = contender_memory (3 * p->height * p->width);
  return p;
}

static double
check (gpointer data)
{
  Picture *p = data;

  return contender_digest_u1 (p->picture, 3 * p->height * p->width);
}

static void
picture_free (gpointer data)
{
  Picture *p = data;

  free (p->picture);
  g_free (p);
}

const Work c_rays[] = {
  { "ray-tracer", prepare, run, check, picture_free },
  { NULL },
};
