// Functions of one float, and of plain integers, in plain C; of int8 and int16 see lookup.h.
#ifndef TINSMITH_FUNCTIONS_H_
#define TINSMITH_FUNCTIONS_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_abs_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_abs_f32)
#define tinsmith_acos_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_acos_f32)
#define tinsmith_acosh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_acosh_f32)
#define tinsmith_asin_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_asin_f32)
#define tinsmith_asinh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_asinh_f32)
#define tinsmith_atan_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_atan_f32)
#define tinsmith_atanh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_atanh_f32)
#define tinsmith_ceil_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_ceil_f32)
#define tinsmith_cos_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cos_f32)
#define tinsmith_cosh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cosh_f32)
#define tinsmith_elu_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_elu_f32)
#define tinsmith_erf_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_erf_f32)
#define tinsmith_exp_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_exp_f32)
#define tinsmith_floor_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_f32)
#define tinsmith_gelu_by_tanh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_gelu_by_tanh_f32)
#define tinsmith_gelu_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_gelu_f32)
#define tinsmith_log_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_log_f32)
#define tinsmith_neg_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_neg_f32)
#define tinsmith_round_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_round_f32)
#define tinsmith_rsqrt_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_rsqrt_f32)
#define tinsmith_sign_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sign_f32)
#define tinsmith_sin_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sin_f32)
#define tinsmith_sinh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sinh_f32)
#define tinsmith_sqrt_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sqrt_f32)
#define tinsmith_square_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_square_f32)
#define tinsmith_tan_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_tan_f32)
#define tinsmith_abs_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_abs_s32)
#define tinsmith_neg_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_neg_s32)
#define tinsmith_sign_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sign_s32)
#define tinsmith_abs_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_abs_s64)
#define tinsmith_neg_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_neg_s64)
#define tinsmith_sign_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_sign_s64)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * |x|, -x, x * x, and the sign: 1, 0 (of not-a-number, too) or -1.
 *
 * @param[in] elements at least 1
 * @param[in] input    any numbers
 * @param[out] output  may be the input
 */
void tinsmith_abs_f32(int32_t elements, const float *input, float *output);
void tinsmith_neg_f32(int32_t elements, const float *input, float *output);
void tinsmith_square_f32(int32_t elements, const float *input, float *output);
void tinsmith_sign_f32(int32_t elements, const float *input, float *output);

/** The same of integers; the lowest number stays as it is. */
void tinsmith_abs_s32(int32_t elements, const int32_t *input, int32_t *output);
void tinsmith_neg_s32(int32_t elements, const int32_t *input, int32_t *output);
void tinsmith_sign_s32(int32_t elements, const int32_t *input, int32_t *output);
void tinsmith_abs_s64(int32_t elements, const int64_t *input, int64_t *output);
void tinsmith_neg_s64(int32_t elements, const int64_t *input, int64_t *output);
void tinsmith_sign_s64(int32_t elements, const int64_t *input, int64_t *output);

/** The integer below, above, and the nearest one, ties to even. What lies in (-0.5, 0) is rounded to 0.0. */
void tinsmith_floor_f32(int32_t elements, const float *input, float *output);
void tinsmith_ceil_f32(int32_t elements, const float *input, float *output);
void tinsmith_round_f32(int32_t elements, const float *input, float *output);

/** The square root, nearest to the real one, and 1 over it. Not-a-number below zero. */
void tinsmith_sqrt_f32(int32_t elements, const float *input, float *output);
void tinsmith_rsqrt_f32(int32_t elements, const float *input, float *output);

/** exp(x) within 5 units in the last place, log(x) within 1, x < 0 ? exp(x) - 1 : x within 2. */
void tinsmith_exp_f32(int32_t elements, const float *input, float *output);
void tinsmith_log_f32(int32_t elements, const float *input, float *output);
void tinsmith_elu_f32(int32_t elements, const float *input, float *output);

/** x / 2 * erfc(-x / sqrt(2)), and x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))). */
void tinsmith_gelu_f32(int32_t elements, const float *input, float *output);
void tinsmith_gelu_by_tanh_f32(int32_t elements, const float *input, float *output);

/** The error function within 2 units in the last place. */
void tinsmith_erf_f32(int32_t elements, const float *input, float *output);

/** sin(x) and cos(x) within 3 units in the last place, of all numbers; not-a-number of infinities. */
void tinsmith_sin_f32(int32_t elements, const float *input, float *output);
void tinsmith_cos_f32(int32_t elements, const float *input, float *output);

/** tan(x) within 4 units in the last place, of all numbers; not-a-number of infinities. */
void tinsmith_tan_f32(int32_t elements, const float *input, float *output);

/** asin(x) within 3 units in the last place, acos(x) and atan(x) within 2; not-a-number beyond 1 of the first two. */
void tinsmith_asin_f32(int32_t elements, const float *input, float *output);
void tinsmith_acos_f32(int32_t elements, const float *input, float *output);
void tinsmith_atan_f32(int32_t elements, const float *input, float *output);

/** sinh(x) and cosh(x) within 3 units in the last place. */
void tinsmith_sinh_f32(int32_t elements, const float *input, float *output);
void tinsmith_cosh_f32(int32_t elements, const float *input, float *output);

/**
 * Their inverses and that of tanh, within 3 units in the last place: acosh of what is below 1 and atanh beyond 1 are
 * not-a-number, atanh(1) is infinity.
 */
void tinsmith_asinh_f32(int32_t elements, const float *input, float *output);
void tinsmith_acosh_f32(int32_t elements, const float *input, float *output);
void tinsmith_atanh_f32(int32_t elements, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_FUNCTIONS_H_
