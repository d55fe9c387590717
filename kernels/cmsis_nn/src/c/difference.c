/* Difference of two tensors, for plain C and the DSP extension. */

#include "include/tinsmith_nn.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/rescale.h"

#if !TINSMITH_NN_MVE

enum { kNudged = -1 };

void tinsmith_difference_s8(const tinsmith_difference_params *params, const int8_t *shifted, const int8_t *scaled,
                            int8_t *output, int32_t elements) {
  const int32_t shifted_unit = params->shifted_unit, shifted_start = params->shifted_start;
  const int32_t unit = params->scaled_unit, start = params->scaled_start, flip = params->scaled_flip;
  const int32_t scaled_multiplier = params->scaled_multiplier, scaled_right = params->scaled_right;
  const int32_t scaled_half = 1 << (scaled_right - 1);
  const int32_t multiplier = params->multiplier, right = params->right, half = params->half;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t product = tinsmith_multiply_doubled(scaled[i] * unit + start, scaled_multiplier);
    const int32_t other = tinsmith_divide_and_move(product, kNudged, scaled_half, scaled_right) ^ flip;
    const int32_t doubled = shifted[i] * shifted_unit + shifted_start + 2 * other;
    const int32_t result = tinsmith_multiply_doubled(doubled, multiplier);
    output[i] = tinsmith_saturate_s8(tinsmith_divide_and_move(result, kNudged, half, right));
  }
  tinsmith_apply_activation(&params->activation, output, elements);
}

#endif /* !TINSMITH_NN_MVE */
