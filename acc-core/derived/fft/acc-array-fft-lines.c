/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-fft-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/expr/acc-expr-math.h"

/* Convolutions of many lines at once, each of a power of two numbers, of which a run tells how many. A pass takes all lines that are long
 * enough, and leaves the others as they are; it is one kernel, which all passes of a direction share. Ways there leave numbers in the order
 * of reversed bits, and ways back take them so: nobody looks at what is between. */

/* A pass: of lines of twice as many numbers as lie between the two that are combined. */
typedef struct {
  const AccFftLines *lines;
  AccArray          *roots;    /* of 1, for half a turn of the longest line */
  AccArray          *numbers;
  AccArray          *now;      /* (numbers between the two, roots between two of theirs) */
  gboolean           back;
} Pass;

static AccExpr *
combine (AccExpr *x,
         AccExpr *y,
         AccExpr *(*function) (AccExpr *, AccExpr *))
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (x), b = acc_expr_ref_sink (y);

  return acc_expr_tuple2 (function (acc_expr_item (a, 0), acc_expr_item (b, 0)), function (acc_expr_item (a, 1), acc_expr_item (b, 1)));
}

static AccExpr *
root_at (AccExpr *turns,
         gpointer data)
{
  const Pass *pass = data;

  return acc_fft_number (acc_fft_cast (acc_fft_root (turns, acc_expr_the (pass->lines->longest)), pass->lines->type));
}

static AccExpr *
pass_element (AccExpr *at,
              gpointer data)
{
  const Pass *pass = data;
  const AccFftLines *lines = pass->lines;
  g_autoptr(AccExpr) now = acc_expr_ref_sink (acc_expr_the (pass->now)), half = acc_expr_ref_sink (acc_expr_item (now, 0));
  g_autoptr(AccExpr) code = acc_expr_ref_sink (acc_expr_linear_index (lines->codes, at));
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_shr (code, acc_array_number (ACC_FFT_LINE_BITS)));
  g_autoptr(AccExpr) length = acc_expr_ref_sink (acc_expr_shl (acc_array_number (1),
                                                               acc_expr_band (code, acc_array_number ((1 << ACC_FFT_LINE_BITS) - 1))));
  g_autoptr(AccExpr) takes_part = acc_expr_ref_sink (acc_expr_lt (half, length));
  g_autoptr(AccExpr) is_upper = acc_expr_ref_sink (acc_expr_ne (acc_expr_band (place, half), acc_array_number (0)));
  g_autoptr(AccExpr) apart = acc_expr_ref_sink (lines->steps != NULL
                                                ? acc_expr_mul (half, acc_expr_linear_index (lines->steps, at)) : half);
  g_autoptr(AccExpr) first = acc_expr_ref_sink (acc_expr_cond (acc_expr_land (takes_part, is_upper), acc_expr_sub (at, apart), at));
  g_autoptr(AccExpr) second = acc_expr_ref_sink (acc_expr_cond (takes_part, acc_expr_add (first, apart), at));
  g_autoptr(AccExpr) turns = acc_expr_ref_sink (acc_expr_mul (acc_expr_band (place, acc_expr_sub (half, acc_array_number (1))),
                                                              acc_expr_item (now, 1)));
  g_autoptr(AccExpr) root = acc_expr_ref_sink (acc_fft_pair (acc_expr_linear_index (pass->roots, turns)));
  g_autoptr(AccExpr) x = acc_expr_ref_sink (acc_fft_pair (acc_expr_linear_index (pass->numbers, first)));
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_fft_pair (acc_expr_linear_index (pass->numbers, second)));
  g_autoptr(AccExpr) other = acc_expr_ref_sink (pass->back ? acc_fft_mul (y, acc_fft_conjugate (root)) : y);
  AccExpr *lower = combine (x, other, acc_expr_add), *upper = combine (x, other, acc_expr_sub), *result;

  result = acc_expr_cond (is_upper, pass->back ? upper : acc_fft_mul (upper, root), lower);

  return acc_fft_number (acc_expr_cond (takes_part, result, x));
}

/* The last state says how far apart the two lie. */
static AccArray *
is_unfinished (AccArray **states,
               guint      n,
               gpointer   data)
{
  const Pass *pass = data;
  AccExpr *half = acc_expr_the (states[n - 1]);

  return acc_array_unit (pass->back ? acc_expr_lt (half, acc_expr_the (pass->lines->longest)) : acc_expr_gt (half, acc_array_number (0)));
}

static AccExpr *
next_half (AccExpr *half,
           gpointer data)
{
  const Pass *pass = data;

  return pass->back ? acc_expr_add (half, half) : acc_expr_shr (half, acc_array_number (1));
}

static GPtrArray *
next_pass (AccArray **states,
           guint      n,
           gpointer   data)
{
  Pass pass = *(const Pass *) data;
  g_autoptr(AccExpr) half = acc_expr_ref_sink (acc_expr_the (states[n - 1]));
  AccExpr *stride = acc_expr_quot (acc_expr_the (pass.lines->longest), acc_expr_add (half, half));
  g_autoptr(AccArray) now = acc_array_unit (acc_expr_tuple2 (half, stride));
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  pass.now = now;
  for (guint i = 0; i + 1 < n; i++)
    {
      pass.numbers = states[i];
      g_ptr_array_add (next, acc_array_generate_expr (acc_expr_extent (states[i], 0), pass_element, &pass));
    }
  g_ptr_array_add (next, acc_array_map (states[n - 1], next_half, &pass));

  return next;
}

/* Of one or two vectors. */
static GPtrArray *
run_passes (const AccFftLines *self,
            AccArray          *roots,
            AccArray         **vectors,
            guint              n,
            gboolean           back)
{
  Pass pass = { self, roots, NULL, NULL, back };
  g_autofree char *numbers = g_strconcat (acc_element_type_get_code (vectors[0]->type), "[:]", NULL);
  const char *signatures[4] = { NULL, };
  AccArray *states[3];
  g_autoptr(AccArray) first = NULL;
  g_autoptr(AccProgram) condition = NULL, step = NULL;

  first = acc_array_unit (back ? acc_array_number (1) : acc_expr_shr (acc_expr_the (self->longest), acc_array_number (1)));
  for (guint i = 0; i < n; i++)
    {
      signatures[i] = numbers;
      states[i] = vectors[i];
    }
  signatures[n] = "i8[]";
  states[n] = first;
  condition = acc_program_new (signatures, is_unfinished, &pass);
  step = acc_program_new_many (signatures, next_pass, &pass);

  return acc_array_while_loop_many (states, n + 1, condition, step);
}

static AccExpr *
product_of (AccExpr *x,
            AccExpr *y,
            gpointer data)
{
  return acc_fft_number (acc_fft_mul (acc_fft_pair (x), acc_fft_pair (y)));
}

AccArray *
acc_fft_convolve_lines (const AccFftLines *self,
                        AccArray          *numbers,
                        AccArray          *kernel)
{
  Pass pass = { self };
  g_autoptr(AccArray) made = acc_array_generate_expr (acc_expr_shr (acc_expr_the (self->longest), acc_array_number (1)), root_at, &pass);
  /* Each pass reads them. */
  g_autoptr(AccArray) roots = acc_array_compute (made), product = NULL;
  g_autoptr(GPtrArray) there = run_passes (self, roots, (AccArray *[]) { numbers, kernel }, 2, FALSE), back = NULL;

  product = acc_array_zip_with (there->pdata[0], there->pdata[1], product_of, NULL);
  back = run_passes (self, roots, &product, 1, TRUE);

  return g_object_ref (back->pdata[0]);
}
