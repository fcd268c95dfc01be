/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

G_BEGIN_DECLS

/* One function per primitive of the table in acc-primitives.inc ... */

ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_add          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_sub          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_mul          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_quot         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_rem          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_div          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_mod          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_shl          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_shr          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_rotl         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_rotr         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_fdiv         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_pow          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_logbase      (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_atan2        (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_lt           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_gt           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_le           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_ge           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_eq           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_ne           (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_min          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_max          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_neg          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_abs          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_signum       (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_recip        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_sin          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_cos          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tan          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_asin         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_acos         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_atan         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_sinh         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_cosh         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_tanh         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_asinh        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_acosh        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_atanh        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_exp          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_expm1        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_sqrt         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_log          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_log1p        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_truncate     (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_round        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_floor        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_ceiling      (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_popcount     (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_clz          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_ctz          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_band         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_bor          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_bxor         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_bnot         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_nan       (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_inf       (AccExpr *a);

/* ... and what is made of them. Comparisons of tuples (lt to ne above, too) are lexicographic. */

ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_land         (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_lor          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_gcd          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_lcm          (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_int_pow      (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_test_bit     (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_set_bit      (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_clear_bit    (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_complement_bit (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_mod_float    (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_div_float    (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_copy_sign    (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_compare      (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_lnot         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_succ         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_pred         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_even         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_odd          (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_exponent     (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_significand  (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_denormalized (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_negative_zero (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_decode_float (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_encode_float (AccExpr *mantissa, AccExpr *exponent);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_scale_float  (AccExpr *k, AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_subtract (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_quot_rem (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_div_mod (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_div_mod_float (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_is_finite (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_proper_fraction (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_float_radix (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_float_digits (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_float_range (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_bit_size (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_shape_size (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_intersect (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_union (AccExpr *a, AccExpr *b);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_index_head (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_index_tail (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_new_pi       (AccElementType *type);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_real         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_imag         (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_conjugate    (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_magnitude    (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_magnitude_unscaled (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_phase        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_polar     (AccExpr *magnitude, AccExpr *phase);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_cis          (AccExpr *phase);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_to_polar        (AccExpr *a);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_to_linear    (AccExpr *shape, AccExpr *index);
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_from_linear  (AccExpr *shape, AccExpr *index);
/* 128 random bits of a counter and a key */
ACC_AVAILABLE_IN_1_0
AccExpr *acc_expr_philox       (AccExpr *counter, AccExpr *key);

G_END_DECLS
