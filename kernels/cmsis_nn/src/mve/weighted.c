/* Sum and product of two tensors, rounded once, on MVE: four int32 lanes, tail-predicated. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_nearest.h"
#include "src/mve/requantize.h"

/* Members are copied first: for all the compiler knows, a store to the output changes them. */

void tinsmith_weighted_sum_s8(const tinsmith_weighted_sum_params *params, const int8_t *lhs, const int8_t *rhs,
                              int8_t *output, int32_t elements) {
  const int32x4_t lhs_high = vdupq_n_s32(params->lhs_high), lhs_low = vdupq_n_s32(params->lhs_low);
  const int32x4_t min = vdupq_n_s32(params->activation.min), max = vdupq_n_s32(params->activation.max);
  const int32_t rhs_high = params->rhs_high, rhs_low = params->rhs_low, right = params->right;
  const int32_t start_high = params->start_high, start_low = params->start_low;
  for (int32_t left = elements; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t a = vldrbq_z_s32(lhs, p), b = vldrbq_z_s32(rhs, p);
    const int32x4_t low = vmlaq_n_s32(vmlasq_n_s32(a, lhs_low, start_low), b, rhs_low);
    const int32x4_t high = vmlaq_n_s32(vmlasq_n_s32(a, lhs_high, start_high), b, rhs_high);
    const int32x4_t sum = vshlq_r_s32(vaddq_s32(high, vshrq_n_s32(low, 16)), -right);
    vstrbq_p_s32(output, vminq_s32(vmaxq_s32(sum, min), max), p);
    lhs += kWordLanes;
    rhs += kWordLanes;
    output += kWordLanes;
  }
}

void tinsmith_product_s8(const tinsmith_product_params *params, const int8_t *lhs, const int8_t *rhs, int8_t *output,
                         int32_t elements) {
  /* VQDMULH doubles, so that units are taken as half of what they are. */
  const int32x4_t units = vdupq_n_s32(params->lhs_unit / 2);
  const int32x4_t min = vdupq_n_s32(params->activation.min), max = vdupq_n_s32(params->activation.max);
  const int32_t start = params->lhs_start / 2, offset = params->rhs_offset;
  const int32_t multiplier = params->multiplier, right = params->right, half = params->half;
  for (int32_t left = elements; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t a = vmlasq_n_s32(vldrbq_z_s32(lhs, p), units, start);
    const int32x4_t b = vaddq_n_s32(vldrbq_z_s32(rhs, p), offset);
    const int32x4_t product = vqdmulhq_n_s32(vmulq_s32(a, b), multiplier);
    const int32x4_t value = vshlq_r_s32(vaddq_n_s32(product, half), -right);
    vstrbq_p_s32(output, vminq_s32(vmaxq_s32(value, min), max), p);
    lhs += kWordLanes;
    rhs += kWordLanes;
    output += kWordLanes;
  }
}

#endif /* TINSMITH_NN_MVE */
