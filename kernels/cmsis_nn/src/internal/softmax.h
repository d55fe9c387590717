/* The exponential and the reciprocal of softmax as TFLite computes it in 8 bits: gemmlowp fixed point, 5 integer bits
 * for exp's argument, 12 for the sum.
 * What is long is not said to be inline: a softmax calls it from two loops, and there code counts for more than time.
 */
#ifndef TINSMITH_NN_INTERNAL_SOFTMAX_H
#define TINSMITH_NN_INTERNAL_SOFTMAX_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#if TINSMITH_NN_MVE
#include "src/mve/softmax.h"
#endif

enum {
  kScaledDiffIntegerBits = 5,
  kAccumulationIntegerBits = 12,
  kFractionBits = 31 - kScaledDiffIntegerBits,
};

/** gemmlowp's SaturatingRoundingDoublingHighMul; its saturating case, INT32_MIN * INT32_MIN, does not come up. */
static inline int32_t tinsmith_multiply_q31(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

#if !TINSMITH_NN_MVE

/** exp(a) in Q0.31 for a in [-1/4, 0) in Q0.31: Taylor's polynomial of degree 4 around -1/8. */
static int32_t tinsmith_exp_of_quarter(int32_t a) {
  const int32_t exp_of_minus_eighth = 1895147668;
  const int32_t third = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = tinsmith_multiply_q31(x, x);
  const int32_t x3 = tinsmith_multiply_q31(x2, x);
  const int32_t x4 = tinsmith_multiply_q31(x2, x2);
  const int32_t sum =
      tinsmith_rounding_divide(tinsmith_multiply_q31(tinsmith_rounding_divide(x4, 2) + x3, third) + x2, 1);
  return exp_of_minus_eighth + tinsmith_multiply_q31(exp_of_minus_eighth, x + sum);
}

/** exp(a) in Q0.31 for a <= 0 in Q5.26: the fraction below 1/4 by the polynomial, each further bit by a factor. */
static int32_t tinsmith_exp_of_negative(int32_t a) {
  /* exp(-2^(i - 2)) in Q0.31 */
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t quarter = 1 << (kFractionBits - 2);
  const int32_t below = (a & (quarter - 1)) - quarter;
  int32_t result = tinsmith_exp_of_quarter((int32_t)((uint32_t)below << kScaledDiffIntegerBits));
  const int32_t remainder = below - a;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < (int32_t)(sizeof factors / sizeof factors[0]); ++i) {
    if (remainder & (quarter << i)) {
      result = tinsmith_multiply_q31(result, factors[i]);
    }
  }
  return a == 0 ? INT32_MAX : result;
}

static int32_t tinsmith_exp_of_difference(int32_t difference, int32_t mult, int32_t shift) {
  return tinsmith_exp_of_negative(tinsmith_multiply_q31((int32_t)((uint32_t)difference << shift), mult));
}

#endif /* !TINSMITH_NN_MVE */

/** 1 / (1 + a) in Q0.31 for a in [0, 1) in Q0.31: three Newton-Raphson steps in Q2.29. */
static int32_t tinsmith_one_over_one_plus(int32_t a) {
  const int32_t half_denominator = (int32_t)(((int64_t)a + INT32_MAX + 1) >> 1);
  const int32_t constant_48_over_17 = 1515870810;
  const int32_t constant_minus_32_over_17 = -1010580540;
  int32_t x = constant_48_over_17 + tinsmith_multiply_q31(half_denominator, constant_minus_32_over_17);
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - tinsmith_multiply_q31(half_denominator, x);
    x += tinsmith_multiply_q31(x, error) * 4;
  }
  return x > INT32_MAX / 2 ? INT32_MAX : x * 2;
}

/** What the values of a row share. */
typedef struct {
  int32_t max;
  int32_t scale;          /* 1 / sum, its leading bits in Q0.31 */
  int32_t bits_over_unit; /* of scale */
} tinsmith_softmax_row;

/** From the greatest value and the sum of exponentials. */
static inline tinsmith_softmax_row tinsmith_softmax_row_from(int32_t max, int32_t sum) {
  sum = sum > 0 ? sum : 1; /* The largest input adds 2^19; where diff_min > 0 bars even that, no output uses the sum. */
  const int32_t headroom = __builtin_clz((uint32_t)sum);
  return (tinsmith_softmax_row){
      .max = max,
      .scale = tinsmith_one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - (UINT32_C(1) << 31))),
      .bits_over_unit = kAccumulationIntegerBits - headroom,
  };
}

#if TINSMITH_NN_MVE

/** The shares of the first `left` values, at most four, less half of their range, and no greater than fits `bits`. */
static inline int32x4_t mve_softmax_shares(const tinsmith_softmax_row *row, const mve_softmax_differences *d,
                                           const int8_t *input, int32_t left, int32_t bits) {
  const int32_t half = 1 << (bits - 1);
  const int32x4_t product = vqrdmulhq_n_s32(mve_softmax_exps(d, input, left), row->scale);
  const int32x4_t shares = vrshlq_n_s32(product, -(row->bits_over_unit + 31 - bits));
  return vminq_s32(vsubq_n_s32(shares, half), vdupq_n_s32(half - 1));
}

#else

static inline tinsmith_softmax_row tinsmith_softmax_row_of(const int8_t *input, int32_t size, int32_t mult,
                                                           int32_t shift, int32_t diff_min) {
  int32_t max = INT8_MIN;
  for (int32_t i = 0; i < size; ++i) {
    max = input[i] > max ? input[i] : max;
  }
  int32_t sum = 0; /* Q12.19 */
  for (int32_t i = 0; i < size; ++i) {
    if (input[i] - max >= diff_min) {
      sum +=
          tinsmith_rounding_divide(tinsmith_exp_of_difference(input[i] - max, mult, shift), kAccumulationIntegerBits);
    }
  }
  return tinsmith_softmax_row_from(max, sum);
}

/** The share of a value, in `bits` bits, for a difference that counts. */
static inline int32_t tinsmith_softmax_share(const tinsmith_softmax_row *row, int32_t difference, int32_t mult,
                                             int32_t shift, int32_t bits) {
  const int32_t product = tinsmith_multiply_q31(row->scale, tinsmith_exp_of_difference(difference, mult, shift));
  return tinsmith_rounding_divide(product, row->bits_over_unit + 31 - bits);
}

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_INTERNAL_SOFTMAX_H */
