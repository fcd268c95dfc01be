/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-private.h"

#include "acc-core/base/acc-half-private.h"

#include <math.h>
#include <string.h>

/* Vulkan lets a device round fma(), division and square roots as it likes, and does not say which thread is which lane of a
 * subgroup. What a device does is the same for all values in practice, so some thousand are tried when it is opened. */

#define N_CASES 4096
#define THREADS 64

typedef struct {
  float   a, b, c, fma, quotient, root;
  guint32 lane, pad;
} Case;

typedef struct {
  double a, b, c, fma;
} DoubleCase;

static const char single_source[] =
  "#version 450\n"
  "%s"
  "layout (local_size_x = 64) in;\n"
  "struct Case { float a, b, c, fma, quotient, root; uint lane, pad; };\n"
  "layout (set = 0, binding = 0, std430) buffer Cases { Case cases[]; };\n"
  "void main ()\n"
  "{\n"
  "  uint i = gl_GlobalInvocationID.x;\n"
  "  precise float a = cases[i].a, b = cases[i].b, c = cases[i].c;\n"
  "  precise float f = fma (a, b, c), q = a / b, r = sqrt (abs (a));\n"
  "  cases[i].fma = f; cases[i].quotient = q; cases[i].root = r;\n"
  "  cases[i].lane = %s;\n"
  "}\n";

static const char double_source[] =
  "#version 450\n"
  "layout (local_size_x = 64) in;\n"
  "struct Case { double a, b, c, fma; };\n"
  "layout (set = 0, binding = 0, std430) buffer Cases { Case cases[]; };\n"
  "void main ()\n"
  "{\n"
  "  uint i = gl_GlobalInvocationID.x;\n"
  "  precise double f = fma (cases[i].a, cases[i].b, cases[i].c);\n"
  "  cases[i].fma = f;\n"
  "}\n";

typedef struct {
  guint32 a, b, c, sum;
} HalfCase;

/* What is computed in f32 and rounded to f16, as kernels do. */
static const char half_source[] =
  "#version 450\n"
  "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n"
  "layout (local_size_x = 64) in;\n"
  "struct Case { uint a, b, c, sum; };\n"
  "layout (set = 0, binding = 0, std430) buffer Cases { Case cases[]; };\n"
  "#define WIDE(h) float (unpackFloat2x16 (h)[0])\n"
  "#define HALF(x) packFloat2x16 (f16vec2 (float16_t (x), float16_t (0)))\n"
  "void main ()\n"
  "{\n"
  "  uint i = gl_GlobalInvocationID.x;\n"
  "  precise float product = WIDE (cases[i].a) * WIDE (cases[i].b);\n"
  "  uint rounded = HALF (product);\n"
  "  precise float sum = WIDE (rounded) + WIDE (cases[i].c);\n"
  "  cases[i].sum = HALF (sum);\n"
  "}\n";

typedef struct {
  float x, half, pad[2];
} SmallCase;

/* Half of each, where the device does not take them for zero. */
static const char denormal_source[] =
  "#version 450\n"
  "#extension GL_EXT_spirv_intrinsics : require\n"
  "spirv_execution_mode (extensions = [\"SPV_KHR_float_controls\"], capabilities = [4464], 4459, 32);\n"
  "layout (local_size_x = 64) in;\n"
  "struct Case { float x, half_of, pad[2]; };\n"
  "layout (set = 0, binding = 0, std430) buffer Cases { Case cases[]; };\n"
  "void main ()\n"
  "{\n"
  "  uint i = gl_GlobalInvocationID.x;\n"
  "  precise float x = cases[i].x, half_of = x * 0.5;\n"
  "  cases[i].half_of = x > 0.0 ? half_of : 0.0;\n"
  "}\n";

/* Magnitudes far from overflow and denormals. */
static double
draw (GRand *rand)
{
  return ldexp (g_rand_double_range (rand, 1, 2), g_rand_int_range (rand, -20, 20)) * (g_rand_boolean (rand) ? 1 : -1);
}

static gboolean
probe_single (AccVulkanDevice *self,
              GError         **error)
{
  AccTarget *target = &self->parent.target;
  g_autofree Case *cases = g_new0 (Case, N_CASES);
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  g_autofree char *source = g_strdup_printf (single_source,
                                             self->dialect.has_subgroups ? "#extension GL_KHR_shader_subgroup_basic : require\n" : "",
                                             self->dialect.has_subgroups ? "gl_SubgroupInvocationID | gl_SubgroupSize << 16" : "0");

  for (guint i = 0; i < N_CASES; i++)
    {
      cases[i].a = draw (rand);
      cases[i].b = draw (rand);
      /* Every other sum cancels but for what one rounding keeps. */
      cases[i].c = i % 2 != 0 ? -(cases[i].a * cases[i].b) : draw (rand);
    }
  if (!_acc_vulkan_run_shader (self, source, "probe", THREADS, N_CASES / THREADS, cases, N_CASES * sizeof (Case), error))
    return FALSE;

  gboolean fuses = TRUE, divides = TRUE, in_order = TRUE;
  for (guint i = 0; i < N_CASES; i++)
    {
      fuses &= cases[i].fma == fmaf (cases[i].a, cases[i].b, cases[i].c);
      divides &= cases[i].quotient == cases[i].a / cases[i].b && cases[i].root == sqrtf (fabsf (cases[i].a));
      in_order &= cases[i].lane == (i % THREADS % target->subgroup_size | target->subgroup_size << 16);
    }
  self->dialect.has_exact_fma = fuses;
  self->dialect.has_exact_divide = divides;
  target->has_estimates &= fuses && self->dialect.keeps_nans;
  if (self->dialect.has_subgroups && !in_order)
    {
      self->dialect.has_subgroups = self->dialect.has_ballots = target->has_ballots = FALSE;
      self->sets_subgroup_size = FALSE;
      target->subgroup_size = 1;
    }
  return TRUE;
}

static gboolean
probe_double (AccVulkanDevice *self,
              GError         **error)
{
  g_autofree DoubleCase *cases = g_new0 (DoubleCase, N_CASES);
  g_autoptr(GRand) rand = g_rand_new_with_seed (2);

  for (guint i = 0; i < N_CASES; i++)
    {
      cases[i].a = draw (rand);
      cases[i].b = draw (rand);
      cases[i].c = i % 2 != 0 ? -(cases[i].a * cases[i].b) : draw (rand);
    }
  if (!_acc_vulkan_run_shader (self, double_source, "probe", THREADS, N_CASES / THREADS, cases, N_CASES * sizeof (DoubleCase), error))
    return FALSE;
  for (guint i = 0; i < N_CASES; i++)
    self->dialect.has_exact_fma &= cases[i].fma == fma (cases[i].a, cases[i].b, cases[i].c);
  return TRUE;
}

/* Compilers that take f16 for what f32 was written for round once where kernels say twice. */
static gboolean
probe_half (AccVulkanDevice *self,
            GError         **error)
{
  g_autofree HalfCase *cases = g_new0 (HalfCase, N_CASES);
  g_autofree guint16 *sums = g_new (guint16, N_CASES);
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < N_CASES; i++)
    {
      double a = g_rand_int_range (rand, 1, 1024) / 16.0, b = g_rand_int_range (rand, 1, 1024) / 16.0;
      double product = acc_half_to_double (acc_half_from_double (a * b)),
        c = i % 2 != 0 ? -product : g_rand_int_range (rand, 1, 1024) / 16.0;

      cases[i].a = acc_half_from_double (a);
      cases[i].b = acc_half_from_double (b);
      cases[i].c = acc_half_from_double (c);
      sums[i] = acc_half_from_double (product + c);
    }
  if (!_acc_vulkan_run_shader (self, half_source, "probe", THREADS, N_CASES / THREADS, cases, N_CASES * sizeof (HalfCase), error))
    return FALSE;
  for (guint i = 0; i < N_CASES; i++)
    self->dialect.has_half &= cases[i].sum == sums[i];
  return TRUE;
}

/* NVIDIA's driver does not list that it can keep denormals, but does so where it is asked. */
static gboolean
probe_denormals (AccVulkanDevice *self,
                 GError         **error)
{
  g_autofree SmallCase *cases = g_new0 (SmallCase, THREADS);
  gboolean keeps = TRUE;

  for (guint i = 0; i < THREADS; i++)
    cases[i].x = ldexpf (i + 1, -140);
  if (!_acc_vulkan_run_shader (self, denormal_source, "probe", THREADS, 1, cases, THREADS * sizeof (SmallCase), error))
    return FALSE;
  for (guint i = 0; i < THREADS; i++)
    {
      keeps &= cases[i].half == ldexpf (i + 1, -141);
    }
  self->dialect.keeps_denormals = keeps;
  return TRUE;
}

gboolean
_acc_vulkan_probe (AccVulkanDevice *self,
                   GError         **error)
{
  if (self->dialect.has_half && !probe_half (self, error))
    return FALSE;
  if (self->may_keep_denormals && !probe_denormals (self, error))
    return FALSE;
  if (!probe_single (self, error))
    return FALSE;
  if (self->dialect.has_exact_fma && acc_target_has_kind (&self->parent.target, ACC_KIND_F64) && !probe_double (self, error))
    return FALSE;

  self->parent.target.has_fma = self->dialect.has_exact_fma;
  return TRUE;
}
