/* Fully connected layer on arranged weights for the DSP extension. */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_BODY_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/fully_connected_blocks.h"

/** Scaling of outputs; a step of 0 means one multiplier and shift for all. */
typedef struct {
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t step;
  int32_t zero_point;
} output_stage;

/** Sum of the top channel of a pair. */
static inline int32_t top(const sums *acc, int32_t pair, const int32_t *bias) {
  return bias[2 * pair + 1] + ((acc->both[pair] - acc->bottom[pair]) >> 8);
}

/** Outputs of the first `count` channels of a group, of any stage. */
TINSMITH_NOINLINE static void finish_any(const output_stage *stage, const sums *acc, const int32_t *bias, int32_t count,
                                         int8_t *output) {
  const int32_t values[kChannels] = {acc->bottom[0], top(acc, 0, bias), acc->bottom[1], top(acc, 1, bias)};
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < count; ++c) {
    const int32_t shift = stage->shift[c * stage->step];
    const int32_t offset = tinsmith_half_and_zero_point(shift, stage->zero_point);
    output[c] = scale(values[c], stage->multiplier[c * stage->step], shift, offset);
  }
}

/** One input vector times the whole matrix. */
TINSMITH_NOINLINE static void multiply_vector(output_stage stage, const int32_t *bias, const int8_t *x,
                                              const tinsmith_lanes *weights, int32_t depth, int32_t channels,
                                              int8_t *output) {
  const int32_t blocks = depth / 4;
  const int32_t group_words = (depth + 3) / 4 * 4;
  TINSMITH_NO_UNROLL
  for (; channels > 0; channels -= kChannels) {
    sums acc = {{bias[0], bias[2]}, {bias[0], bias[2]}};
    if (blocks > 0) {
      add_blocks(&acc, x, weights, blocks);
    }
    if (depth % 4 != 0) {
      acc = add_rest(acc, x + 4 * blocks, depth % 4, weights + 4 * blocks);
    }
    if (channels >= kChannels && stage.step == 0) {
      const int32_t multiplier = *stage.multiplier;
      const int32_t shift = *stage.shift;
      const int32_t offset = tinsmith_half_and_zero_point(shift, stage.zero_point);
      const int8_t output0 = scale(acc.bottom[0], multiplier, shift, offset);
      const int8_t output1 = scale(top(&acc, 0, bias), multiplier, shift, offset);
      const int8_t output2 = scale(acc.bottom[1], multiplier, shift, offset);
      const int8_t output3 = scale(top(&acc, 1, bias), multiplier, shift, offset);
      output[0] = output0;
      output[1] = output1;
      output[2] = output2;
      output[3] = output3;
    } else {
      const sums copy = acc; /* what is pointed to does not live in registers */
      finish_any(&stage, &copy, bias, channels < kChannels ? channels : kChannels, output);
    }
    weights += group_words;
    bias += kChannels;
    output += kChannels;
    stage.multiplier += kChannels * stage.step;
    stage.shift += kChannels * stage.step;
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  (void)ctx;
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const output_stage stage = {quant_params->multiplier, quant_params->shift, quant_params->is_per_channel ? 1 : 0,
                              fc_params->output_offset};
  const tinsmith_lanes *weights = (const void *)filter_data;
  const int32_t depth = filter_dims->n;
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    multiply_vector(stage, bias_data, input_data + n * depth, weights, depth, channels, output_data + n * channels);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_BODY_H */
