/* Sum and product of two tensors, rounded once, for plain C and the DSP extension. */

#define TINSMITH_NN_NEAREST 1

#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/rescale.h"

#if !TINSMITH_NN_MVE

void tinsmith_weighted_sum_s8(const tinsmith_weighted_sum_params *params, const int8_t *lhs, const int8_t *rhs,
                              int8_t *output, int32_t elements) {
  const int32_t lhs_high = params->lhs_high, lhs_low = params->lhs_low;
  const int32_t rhs_high = params->rhs_high, rhs_low = params->rhs_low;
  const int32_t start_high = params->start_high, start_low = params->start_low, right = params->right;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t a = lhs[i], b = rhs[i];
    const int32_t low = start_low + a * lhs_low + b * rhs_low;
    const int32_t high = start_high + a * lhs_high + b * rhs_high;
    output[i] = tinsmith_saturate_s8((high + (low >> 16)) >> right);
  }
  tinsmith_apply_activation(&params->activation, output, elements);
}

void tinsmith_product_s8(const tinsmith_product_params *params, const int8_t *lhs, const int8_t *rhs, int8_t *output,
                         int32_t elements) {
  const int32_t unit = params->lhs_unit, start = params->lhs_start, offset = params->rhs_offset;
  const int32_t multiplier = params->multiplier, right = params->right, half = params->half;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t doubled = (lhs[i] * unit + start) * (rhs[i] + offset);
    const int32_t product = tinsmith_multiply_doubled(doubled, multiplier);
    output[i] = tinsmith_saturate_s8((product + half) >> right);
  }
  tinsmith_apply_activation(&params->activation, output, elements);
}

#endif /* !TINSMITH_NN_MVE */
