/* Fully connected layer on arranged weights of four bits for the DSP extension.
 *
 * Weights as in four_bit_sums.h. The input is unpacked on the way.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/four_bit_sums.h"
#include "src/dsp/fully_connected_stage.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/sum_s8.h"

/** One input vector times the whole matrix. */
TINSMITH_NOINLINE static void multiply_vector(output_stage stage, const int32_t *bias, const int8_t *x,
                                              const tinsmith_lanes *weights, int32_t depth, int32_t channels,
                                              int8_t *output) {
  const int32_t steps = depth / 4;
  const int32_t group_words = (depth + 3) / 4 * 2;
  const int32_t term = -8 * tinsmith_sum_s8(x, depth);
  TINSMITH_NO_UNROLL
  for (; channels > 0; channels -= kChannels) {
    sums acc = {{bias[0], bias[1], bias[2], bias[3]}};
    if (steps > 0) {
      add_steps(&acc, x, weights, steps);
    }
    if (depth % 4 != 0) {
      acc = add_rest(acc, x + 4 * steps, depth % 4, weights + 2 * steps);
    }
    const int32_t value0 = acc.first[3] + term;
    const int32_t value1 = ((acc.first[2] - acc.first[3]) >> 4) + term;
    const int32_t value2 = ((acc.first[1] - acc.first[2]) >> 8) + term;
    const int32_t value3 = (acc.first[0] - acc.first[1]) >> 12;
    finish_group(&stage, value0, value1, value2, value3, channels, output);
    weights += group_words;
    bias += kChannels;
    output += kChannels;
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
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
  const output_stage stage = first_stage(fc_params, quant_params);
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

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H */
