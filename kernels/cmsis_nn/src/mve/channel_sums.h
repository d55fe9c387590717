/* Sums of sixteen lanes, of a channel each, for the depthwise kernels that keep channels beside each other. */
#ifndef TINSMITH_NN_MVE_CHANNEL_SUMS_H
#define TINSMITH_NN_MVE_CHANNEL_SUMS_H

#include "src/mve/requantize.h"
#include "src/mve/scratch.h"

/** Of sixteen lanes: value 4 * j + i is of lane 4 * i + j. bias: the input's offset folded in. */
typedef struct {
  int32_t bias[kDepthwiseBlock];
  int32_t multiplier[kDepthwiseBlock];
  int32_t shift[kDepthwiseBlock];
} mve_channel_scales;

/** Lane 4 * i + j is lane i of vector j. */
typedef struct {
  int32x4_t lanes[4];
} mve_channel_sums;

/** Sixteen values lane after lane to the order above. */
static inline void mve_interleave(int32_t values[kDepthwiseBlock]) {
  const int32x4x4_t taken = vld4q_s32(values);
  for (int32_t j = 0; j < 4; ++j) {
    vstrwq_s32(values + 4 * j, taken.val[j]);
  }
}

/** Of no taps yet. */
static inline mve_channel_sums mve_sums_of_bias(const mve_channel_scales *scales) {
  mve_channel_sums sums;
  for (int32_t j = 0; j < 4; ++j) {
    sums.lanes[j] = vldrwq_s32(scales->bias + 4 * j);
  }
  return sums;
}

/** Add int16 values of even and of odd lanes. */
static inline void mve_add_wide(mve_channel_sums *sums, int16x8_t even, int16x8_t odd) {
  sums->lanes[0] = vaddq_s32(sums->lanes[0], vmovlbq_s16(even));
  sums->lanes[2] = vaddq_s32(sums->lanes[2], vmovltq_s16(even));
  sums->lanes[1] = vaddq_s32(sums->lanes[1], vmovlbq_s16(odd));
  sums->lanes[3] = vaddq_s32(sums->lanes[3], vmovltq_s16(odd));
}

static inline void mve_add_one_tap(mve_channel_sums *sums, const int8_t *input, const int8_t *weights) {
  const int8x16_t x = vldrbq_s8(input);
  const int8x16_t w = vldrbq_s8(weights);
  mve_add_wide(sums, vmullbq_int_s8(x, w), vmulltq_int_s8(x, w));
}

/** Two whose products fit 16 bits together, no weight being -128. The weights of the second follow those of the first.
 */
static inline void mve_add_two_taps(mve_channel_sums *sums, const int8_t *input0, const int8_t *input1,
                                    const int8_t *weights) {
  const int8x16_t x0 = vldrbq_s8(input0);
  const int8x16_t w0 = vldrbq_s8(weights);
  const int8x16_t x1 = vldrbq_s8(input1);
  const int8x16_t w1 = vldrbq_s8(weights + kDepthwiseBlock);
  const int16x8_t even = vaddq_s16(vmullbq_int_s8(x0, w0), vmullbq_int_s8(x1, w1));
  const int16x8_t odd = vaddq_s16(vmulltq_int_s8(x0, w0), vmulltq_int_s8(x1, w1));
  mve_add_wide(sums, even, odd);
}

/** Outputs of sixteen lanes. */
static inline int8x16_t mve_scale_sums(const mve_channel_sums *sums, const mve_channel_scales *scales,
                                       const mve_output_scale *scale) {
  int32x4_t value[4];
  for (int32_t j = 0; j < 4; ++j) {
    const int32x4_t multiplier = vldrwq_s32(scales->multiplier + 4 * j);
    const int32x4_t shift = vldrwq_s32(scales->shift + 4 * j);
    value[j] = scale->shifts_right ? mve_requantize_right(sums->lanes[j], multiplier, shift)
                                   : mve_requantize(sums->lanes[j], multiplier, shift);
  }
  return mve_narrow(value, &scale->range);
}

#endif /* TINSMITH_NN_MVE_CHANNEL_SUMS_H */
