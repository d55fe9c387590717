/* Sums to outputs, for every kernel that collects sums of four channels at several positions. */
#ifndef TINSMITH_NN_MVE_REQUANTIZE_BODY_H
#define TINSMITH_NN_MVE_REQUANTIZE_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/mve/requantize.h"

void tinsmith_mve_store_sums(const mve_output_scale *scale, int32_t channel, mve_pred16_t present, int32x4_t bias,
                             mve_sums *sums, int32_t count, int8_t *output, int32_t output_pitch) {
  const int32_t quant = scale->per_channel ? channel : 0;
  const int32x4_t multiplier = vldrwq_z_s32(scale->multiplier + quant, present);
  const int32x4_t shift = vldrwq_z_s32(scale->shift + quant, present);
  const mve_output_range range = scale->range;
  if (scale->shifts_right) {
    for (int32_t i = 0; i < count; ++i) {
      const int32x4_t sum = vaddq_s32(vldrwq_s32(sums[i]), bias);
      const int32x4_t value = mve_requantize_right(sum, multiplier, shift);
      vstrbq_p_s32(output, mve_to_range(value, &range), present);
      output += output_pitch;
    }
  } else {
    for (int32_t i = 0; i < count; ++i) {
      const int32x4_t sum = vaddq_s32(vldrwq_s32(sums[i]), bias);
      const int32x4_t value = mve_requantize(sum, multiplier, shift);
      vstrbq_p_s32(output, mve_to_range(value, &range), present);
      output += output_pitch;
    }
  }
}

static void store_row_per_channel(const mve_output_scale *scale, int32_t channel, const int32_t *sums, int32_t count,
                                  int8_t *output) {
  const int32_t *multiplier = scale->multiplier + channel;
  const int32_t *shift = scale->shift + channel;
  const mve_output_range range = scale->range;
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t sum = vldrwq_z_s32(sums, p);
    const int32x4_t value = mve_requantize(sum, vldrwq_z_s32(multiplier, p), vldrwq_z_s32(shift, p));
    vstrbq_p_s32(output, mve_to_range(value, &range), p);
    sums += kWordLanes;
    multiplier += kWordLanes;
    shift += kWordLanes;
    output += kWordLanes;
  }
}

static void store_row_uniform(const mve_output_scale *scale, const int32_t *sums, int32_t count, int8_t *output) {
  const mve_uniform_scale uniform = mve_uniform(*scale->multiplier, *scale->shift);
  const mve_output_range range = scale->range;
  const int32_t by_sixteens = uniform.left == 0 ? count / kByteLanes : 0; /* Nearly always. */
  for (int32_t turns = by_sixteens; turns > 0; --turns) {
    const int32x4x4_t sum = vld4q_s32(sums);
    int32x4_t value[4];
    for (int32_t i = 0; i < 4; ++i) {
      value[i] = mve_requantize_uniform_whole(sum.val[i], &uniform);
    }
    vstrbq_s8(output, mve_narrow(value, &range));
    sums += kByteLanes;
    output += kByteLanes;
  }
  for (int32_t left = count - by_sixteens * kByteLanes; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t sum = vldrwq_z_s32(sums, p);
    vstrbq_p_s32(output, mve_to_range(mve_requantize_uniform(sum, &uniform), &range), p);
    sums += kWordLanes;
    output += kWordLanes;
  }
}

void tinsmith_mve_store_row(const mve_output_scale *scale, int32_t channel, const int32_t *sums, int32_t count,
                            int8_t *output) {
  if (scale->per_channel) {
    store_row_per_channel(scale, channel, sums, count, output);
  } else {
    store_row_uniform(scale, sums, count, output);
  }
}

bool tinsmith_mve_shifts_right(const int32_t *shift, int32_t count) {
  int32_t greatest = -1;
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    greatest = vmaxvq_p_s32(greatest, vldrwq_z_s32(shift, p), p);
    shift += kWordLanes;
  }
  return greatest < 0;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_REQUANTIZE_BODY_H */
