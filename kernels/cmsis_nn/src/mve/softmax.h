/* The exponentials of softmax (internal/softmax.h) on MVE: four at a time, with the same roundings. */
#ifndef TINSMITH_NN_MVE_SOFTMAX_H
#define TINSMITH_NN_MVE_SOFTMAX_H

#include "src/internal/compiler.h"
#include "src/mve/requantize.h"

/** As tinsmith_exp_of_negative(). What is divided here is never negative, so that VRSHR rounds as gemmlowp does. */
static inline int32x4_t mve_exp_of_negative(int32x4_t a) {
  const int32_t exp_of_minus_eighth = 1895147668;
  const int32_t third = 715827883;
  const int32_t quarter = 1 << 24;
  const int32x4_t below = vsubq_n_s32(vandq_s32(a, vdupq_n_s32(quarter - 1)), quarter);
  const int32x4_t x = vaddq_n_s32(vshlq_n_s32(below, 5), 1 << 28);
  const int32x4_t x2 = vqrdmulhq_s32(x, x);
  const int32x4_t x3 = vqrdmulhq_s32(x2, x);
  const int32x4_t x4 = vqrdmulhq_s32(x2, x2);
  const int32x4_t cubic = vqrdmulhq_n_s32(vaddq_s32(vrshrq_n_s32(x4, 2), x3), third);
  const int32x4_t sum = vaddq_s32(vrshrq_n_s32(vaddq_s32(cubic, x2), 1), x);
  int32x4_t result = vaddq_n_s32(vqrdmulhq_n_s32(sum, exp_of_minus_eighth), exp_of_minus_eighth);
  /* Bits from 1/4 on, the lowest first, each moved to the sign: exp(-2^(i - 2)) where it is set. */
  const int32x4_t bits = vsubq_s32(below, a);
#define TINSMITH_FACTOR(i, factor) \
  result = vqrdmulhq_m_n_s32(result, result, factor, vcmpltq_n_s32(vshlq_n_s32(bits, 7 - (i)), 0))
  TINSMITH_FACTOR(0, 1672461947);
  TINSMITH_FACTOR(1, 1302514674);
  TINSMITH_FACTOR(2, 790015084);
  TINSMITH_FACTOR(3, 290630308);
  TINSMITH_FACTOR(4, 39332535);
  TINSMITH_FACTOR(5, 720401);
  TINSMITH_FACTOR(6, 242);
#undef TINSMITH_FACTOR
  return vpselq_s32(vdupq_n_s32(INT32_MAX), result, vcmpeqq_n_s32(a, 0));
}

/** What a row's values have in common for their exponentials. */
typedef struct {
  int32_t max;
  int32_t mult;
  int32_t shift;
  int32_t diff_min;
} mve_softmax_differences;

/** exp of the first `left` values less the greatest, at most four, in Q0.31; 0 for others, and where a difference does
 * not count. */
TINSMITH_NOINLINE static int32x4_t mve_softmax_exps(const mve_softmax_differences *d, const int8_t *input,
                                                    int32_t left) {
  const int32x4_t none = vdupq_n_s32(0);
  const mve_pred16_t p = vctp32q((uint32_t)left);
  const int32x4_t differences = vsubq_n_s32(vldrbq_z_s32(input, p), d->max);
  const mve_pred16_t counts = vcmpgeq_m_n_s32(differences, d->diff_min, p);
  if (counts == 0) { /* Most often none does. */
    return none;
  }
  const int32x4_t exps = mve_exp_of_negative(vqrdmulhq_n_s32(vshlq_r_s32(differences, d->shift), d->mult));
  return vpselq_s32(exps, none, counts);
}

static inline int32_t mve_softmax_max(const int8_t *input, int32_t size) {
  int8_t max = INT8_MIN;
  for (int32_t left = size; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    max = vmaxvq_p_s8(max, vldrbq_z_s8(input, p), p);
    input += kByteLanes;
  }
  return max;
}

/** The sum of all exponentials, shifted to the right. */
static inline int32_t mve_softmax_sum(const mve_softmax_differences *d, const int8_t *input, int32_t size,
                                      int32_t shift) {
  int32_t sum = 0;
  for (int32_t left = size; left > 0; left -= kWordLanes) {
    sum = vaddvaq_s32(sum, vrshlq_n_s32(mve_softmax_exps(d, input, left), -shift));
    input += kWordLanes;
  }
  return sum;
}

#endif /* TINSMITH_NN_MVE_SOFTMAX_H */
