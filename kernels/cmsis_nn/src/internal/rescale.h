/* Steps of the functions of tinsmith_nn_rescaling.h, for plain C and the DSP extension. */
#ifndef TINSMITH_NN_INTERNAL_RESCALE_H
#define TINSMITH_NN_INTERNAL_RESCALE_H

#include <stdint.h>

#include "src/internal/implementation.h"
#include "src/internal/rounding.h"

/** doubled * multiplier * 2^-32, rounded half up: of twice a number, gemmlowp's SaturatingRoundingDoublingHighMul. Or
 * rounded down if the only rounding comes later. multiplier >= 0. */
static inline int32_t tinsmith_multiply_doubled(int32_t doubled, int32_t multiplier) {
#if TINSMITH_NN_NEAREST
  return (int32_t)(((int64_t)doubled * multiplier) >> 32);
#elif TINSMITH_NN_DSP
  int32_t product;
  __asm__("smmulr %0, %1, %2" : "=r"(product) : "r"(doubled), "r"(multiplier));
  return product;
#else
  return (int32_t)(((int64_t)doubled * multiplier + (INT64_C(1) << 31)) >> 32);
#endif
}

/** gemmlowp's RoundingDivideByPOT by 2^right, or one rounding, plus a zero point: both are in `half`. nudged: -1, or 0
 * if right is 0, where nothing is rounded; rounded once it is not read. */
static inline int32_t tinsmith_divide_and_move(int32_t value, int32_t nudged, int32_t half, int32_t right) {
  const int32_t nudge = TINSMITH_NN_NEAREST ? 0 : (value & nudged) >> 31;
  return (value + nudge + half) >> right;
}

#endif /* TINSMITH_NN_INTERNAL_RESCALE_H */
