/* Four accumulators to four int8 outputs at once, rounded as TFLite rounds.
 *
 * TFLite scales in two roundings (gemmlowp): a doubling high multiply that rounds half up, which is what VQRDMULH does,
 * then a right shift that rounds half away from zero, where VRSHL rounds half up. The two shifts differ only on ties of
 * negative numbers; taking 1 from every negative number first makes them equal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TINSMITH_NN_MVE_REQUANTIZE_H
#define TINSMITH_NN_MVE_REQUANTIZE_H

#include <arm_mve.h>
#include <stdbool.h>
#include <stdint.h>

/** Lanes of an int32 vector, and of an int8 vector. */
enum { kWordLanes = 4, kByteLanes = 16 };

/** Where outputs end up after scaling. */
typedef struct {
  int32_t offset; /**< Zero point of the output. */
  int32_t min;    /**< Clamp, after the offset. */
  int32_t max;
} mve_output_range;

/** acc >> -shift, half away from zero. shift in [-31, -1]. */
static inline int32x4_t mve_divide_by_power(int32x4_t acc, int32x4_t shift) {
  /* Doubling, times 1, high half: acc + (acc >> 31) in one instruction. */
  return vrshlq_s32(vqdmlahq_n_s32(acc, acc, 1), shift);
}

/** acc scaled by multiplier * 2^(shift - 31), multiplier in [0, 2^31), shift in [-31, -1]. */
static inline int32x4_t mve_requantize_right(int32x4_t acc, int32x4_t multiplier, int32x4_t shift) {
  return mve_divide_by_power(vqrdmulhq_s32(acc, multiplier), shift);
}

/** The same for any shift in [-31, 30]; lanes may differ in sign. */
static inline int32x4_t mve_requantize(int32x4_t acc, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shift, zero);
  acc = vshlq_s32(acc, vmaxq_s32(shift, zero));
  acc = vqrdmulhq_s32(acc, multiplier);
  /* -1 where acc is negative and is going to be shifted. */
  const int32x4_t tie = vshrq_n_s32(vandq_s32(acc, right), 31);
  return vrshlq_s32(vaddq_s32(acc, tie), right);
}

/** Move by the zero point and clamp. */
static inline int32x4_t mve_to_range(int32x4_t value, const mve_output_range *range) {
  value = vaddq_n_s32(value, range->offset);
  value = vmaxq_s32(value, vdupq_n_s32(range->min));
  return vminq_s32(value, vdupq_n_s32(range->max));
}

#endif /* TINSMITH_NN_MVE_REQUANTIZE_H */
