/* Depthwise convolution pixel by pixel (internal/depthwise_block.h) on MVE: eight channels at a time, or four outputs
 * of one. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_BLOCK_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_BLOCK_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/depthwise_block.h"
#include "src/mve/requantize.h"

/** Channels that are summed together, and sums that are scaled at once. */
enum { kTogether = 8, kSums = 64 };

/** Sums of eight channels of one output each: even ones, odd ones. */
static inline int32x4x2_t sum_eight(const tinsmith_depthwise_taps *taps, const int8_t *x, const int8_t *w,
                                    int16_t offset, mve_pred16_t present) {
  int32x4x2_t sums = {{vdupq_n_s32(0), vdupq_n_s32(0)}};
  for (int32_t rows = taps->rows; rows > 0; --rows) {
    const int8_t *x_tap = x;
    const int8_t *w_tap = w;
    for (int32_t left = taps->columns; left > 0; --left) {
      const int16x8_t value = vaddq_n_s16(vldrbq_z_s16(x_tap, present), offset);
      const int16x8_t weight = vldrbq_z_s16(w_tap, present);
      sums.val[0] = vaddq_s32(sums.val[0], vmullbq_int_s16(value, weight));
      sums.val[1] = vaddq_s32(sums.val[1], vmulltq_int_s16(value, weight));
      x_tap += taps->input_column;
      w_tap += taps->filter_column;
    }
    x += taps->input_row;
    w += taps->filter_row;
  }
  return sums;
}

/** Sums of up to four outputs of the input channel at x. */
static inline int32x4_t sum_of_one(const tinsmith_depthwise_taps *taps, const int8_t *x, const int8_t *w,
                                   int32_t offset, mve_pred16_t present) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int32_t rows = taps->rows; rows > 0; --rows) {
    const int8_t *x_tap = x;
    const int8_t *w_tap = w;
    for (int32_t left = taps->columns; left > 0; --left) {
      sum = vmlaq_n_s32(sum, vldrbq_z_s32(w_tap, present), *x_tap + offset);
      x_tap += taps->input_column;
      w_tap += taps->filter_column;
    }
    x += taps->input_row;
    w += taps->filter_row;
  }
  return sum;
}

/** Sums of the output channels [first, first + count), without bias. */
static void sum_channels(int32_t *sums, const tinsmith_depthwise_block *block, const tinsmith_depthwise_taps *taps,
                         int32_t first, int32_t count) {
  const int32_t offset = block->params->input_offset;
  const int8_t *w = taps->filter + first;
  if (block->per_input == 1) {
    const int8_t *x = taps->input + first;
    for (int32_t left = count; left > 0; left -= kTogether) {
      vst2q_s32(sums, sum_eight(taps, x, w, (int16_t)offset, vctp16q((uint32_t)left)));
      sums += kTogether;
      x += kTogether;
      w += kTogether;
    }
    return;
  }
  const int8_t *x = taps->input + first / block->per_input;
  int32_t outputs = block->per_input - first % block->per_input; /* of x that are left */
  for (int32_t left = count; left > 0;) {
    const int32_t together = outputs < kWordLanes ? outputs : kWordLanes;
    const int32_t step = together < left ? together : left;
    const mve_pred16_t present = vctp32q((uint32_t)step);
    vstrwq_p_s32(sums, sum_of_one(taps, x, w, offset, present), present);
    sums += step;
    w += step;
    left -= step;
    outputs -= step;
    if (outputs == 0) {
      ++x;
      outputs = block->per_input;
    }
  }
}

/** Outputs of the channels [first, first + count), bias added; output: of channel `first`. */
static void scale_sums(const int32_t *sums, const tinsmith_depthwise_block *block, int32_t first, int32_t count,
                       int8_t *output) {
  const int32_t *bias = block->bias;
  const int32_t *multiplier = block->multiplier + first;
  const int32_t *shift = block->shift + first;
  const cmsis_nn_dw_conv_params *params = block->params;
  const mve_output_range range = {params->output_offset, params->activation.min, params->activation.max};
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    int32x4_t sum = vldrwq_z_s32(sums, p);
    if (bias != NULL) {
      sum = vaddq_s32(sum, vldrwq_z_s32(bias + first, p));
    }
    const int32x4_t value = mve_requantize(sum, vldrwq_z_s32(multiplier, p), vldrwq_z_s32(shift, p));
    vstrbq_p_s32(output, mve_to_range(value, &range), p);
    sums += kWordLanes;
    first += kWordLanes;
    multiplier += kWordLanes;
    shift += kWordLanes;
    output += kWordLanes;
  }
}

static void convolve_pixel(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps, int8_t *output) {
  int32_t sums[kSums];
  const int32_t channels = block->inputs * block->per_input;
  for (int32_t first = 0; first < channels; first += kSums) {
    const int32_t count = channels - first < kSums ? channels - first : kSums;
    sum_channels(sums, block, taps, first, count);
    scale_sums(sums, block, first, count, output + first);
  }
}

tinsmith_depthwise_pixel *tinsmith_depthwise_pixel_for(const tinsmith_depthwise_block *block, int32_t filter_w) {
  (void)filter_w;
  return block->inputs * block->per_input == 1 ? tinsmith_depthwise_pixel_singly : convolve_pixel;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_BLOCK_BODY_H */
