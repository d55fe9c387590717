/* What C and the DSP extension share of SVDF: a block of sums to results.
 */
#ifndef TINSMITH_NN_INTERNAL_SVDF_SCALE_H
#define TINSMITH_NN_INTERNAL_SVDF_SCALE_H

#include "include/tinsmith_nn_recurrent.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/requantize.h"

/** See common/svdf_halves.h. */
TINSMITH_NOINLINE static void scale(int32_t *sums, const tinsmith_svdf_params *params, int32_t before_clamp) {
  const int32_t multiplier = params->multiplier, shift = params->shift;
  const int32_t low = params->activation.min, high = params->activation.max;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < kDotRows; ++i) {
    const int32_t scaled = tinsmith_requantize(sums[i], multiplier, shift) + before_clamp;
    sums[i] = tinsmith_clamp(scaled, low, high);
  }
}

#endif /* TINSMITH_NN_INTERNAL_SVDF_SCALE_H */
