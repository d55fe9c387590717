/* Fully connected layer on arranged weights for the DSP extension, of any depth.
 *
 * What two channels share a lane for is exact while the top channel's sum stays below 2^23: of up to kSegment values of
 * k it always does. So sums are taken apart after every segment: six instructions per pair and segment more.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_DEEP_BODY_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_DEEP_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/fully_connected_blocks.h"

enum {
  kSegment = 512,                /* 512 * 127 * 128 < 2^23 */
  kSegmentBlocks = kSegment / 4, /* of 4 values of k, 16 bytes each */
};

/** values[c] += sum over k of w[c][k] * x[k] for a group of four channels. Returns the end of the group's weights. */
TINSMITH_NOINLINE static const tinsmith_lanes *multiply_group(int32_t values[kChannels], const int8_t *x,
                                                              const tinsmith_lanes *weights, int32_t depth) {
  TINSMITH_NO_UNROLL
  while (depth > 0) {
    const int32_t count = depth < kSegment ? depth : kSegment;
    const int32_t blocks = count / 4;
    sums acc = {{0, 0}, {0, 0}};
    if (blocks > 0) {
      add_blocks(&acc, x, weights, blocks);
      weights += 4 * blocks;
      x += 4 * blocks;
    }
    if (count % 4 != 0) {
      acc = add_rest(acc, x, count % 4, weights);
      weights += 4;
    }
    for (int32_t pair = 0; pair < 2; ++pair) {
      values[2 * pair] += acc.bottom[pair];
      values[2 * pair + 1] += (acc.both[pair] - acc.bottom[pair]) >> 8;
    }
    depth -= count;
  }
  return weights;
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_deep_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const int32_t step = quant_params->is_per_channel ? 1 : 0;
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    const tinsmith_lanes *weights = (const void *)filter_data;
    for (int32_t first = 0; first < channels; first += kChannels) {
      int32_t values[kChannels];
      for (int32_t c = 0; c < kChannels; ++c) {
        values[c] = bias_data[first + c];
      }
      weights = multiply_group(values, input_data + n * filter_dims->n, weights, filter_dims->n);
      TINSMITH_NO_UNROLL
      for (int32_t c = first; c < first + kChannels && c < channels; ++c) {
        const int32_t shift = quant_params->shift[c * step];
        const int32_t offset = tinsmith_half_and_zero_point(shift, fc_params->output_offset);
        output_data[n * channels + c] = scale(values[c - first], quant_params->multiplier[c * step], shift, offset);
      }
    }
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_DEEP_BODY_H */
