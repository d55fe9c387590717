/* How a sum under a window becomes a mean: of whom it is, and what a pool is given for it. */
#ifndef TINSMITH_NN_INTERNAL_POOL_MEAN_H
#define TINSMITH_NN_INTERNAL_POOL_MEAN_H

#include "include/arm_nnfunctions.h"
#include "src/internal/rounding.h"

#if TINSMITH_NN_NEAREST

typedef tinsmith_average_pool_params tinsmith_pool_layer;
typedef tinsmith_average_range tinsmith_pool_range;

/** Halves to where the mean less the zero point is even. */
static inline int32_t tinsmith_pool_mean(int32_t sum, int32_t count, const tinsmith_average_range *range) {
  const int32_t raised = sum + count / 2;
  const int32_t truncated = raised / count;
  const int32_t rest = raised - truncated * count;
  const int32_t mean = rest < 0 ? truncated - 1 : truncated; /* of a half the upper one, without a rest */
  const int32_t is_half = rest == 0 && (count & 1) == 0;
  return is_half ? mean - ((mean - range->zero_point) & 1) : mean;
}

#else

typedef cmsis_nn_pool_params tinsmith_pool_layer;
typedef cmsis_nn_activation tinsmith_pool_range;

/** C divides towards zero: half away from zero, like TFLite. */
static inline int32_t tinsmith_pool_mean(int32_t sum, int32_t count, const cmsis_nn_activation *range) {
  (void)range;
  return (sum + (sum > 0 ? count / 2 : -(count / 2))) / count;
}

#endif

#endif /* TINSMITH_NN_INTERNAL_POOL_MEAN_H */
