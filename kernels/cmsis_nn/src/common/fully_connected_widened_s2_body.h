/* Fully connected layer on arranged weights of two bits for plain C and MVE: those of some channels at a time become
 * bytes in scratch. */
#ifndef TINSMITH_NN_COMMON_FULLY_CONNECTED_WIDENED_S2_BODY_H
#define TINSMITH_NN_COMMON_FULLY_CONNECTED_WIDENED_S2_BODY_H

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_two_bits.h"
#include "src/internal/arguments.h"
#include "src/internal/implementation.h"
#include "src/internal/rounding.h"

#if !TINSMITH_NN_DSP

#include "src/internal/compiler.h"
#include "src/internal/widen_s2.h"

#if TINSMITH_NN_C

/** As many as fill whole words of weights, of any depth. */
enum { kTogether = 16, kDepthBlock = 1 };

/** Some channels of one vector: a pixel of a convolution, whose kernel takes any scale. */
static void multiply_some(const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant, const int8_t *input,
                          int32_t depth, const int8_t *weights, const int32_t *bias, int32_t channels, int8_t *output) {
  const cmsis_nn_context none = {NULL, 0};
  const cmsis_nn_conv_params params = {.input_offset = fc_params->input_offset,
                                       .output_offset = fc_params->output_offset,
                                       .stride = {1, 1},
                                       .dilation = {1, 1},
                                       .activation = fc_params->activation};
  int32_t multiplier[kTogether], shift[kTogether];
  cmsis_nn_per_channel_quant_params scales = {quant->multiplier, quant->shift};
  if (!quant->is_per_channel) {
    for (int32_t c = 0; c < kTogether; ++c) {
      multiplier[c] = *quant->multiplier;
      shift[c] = *quant->shift;
    }
    scales = (cmsis_nn_per_channel_quant_params){multiplier, shift};
  }
  const cmsis_nn_dims in = {1, 1, 1, depth};
  const cmsis_nn_dims filter = {channels, 1, 1, depth};
  const cmsis_nn_dims out = {1, 1, 1, channels};
  tinsmith_convolve_packed_any_s8(&none, &params, &scales, &in, input, &filter, weights, bias, &out, output);
}

#else

/** Two groups of the kernel on bytes. */
enum { kTogether = 12, kDepthBlock = 16 };

/** Some channels of one vector. */
static void multiply_some(const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant, const int8_t *input,
                          int32_t depth, const int8_t *weights, const int32_t *bias, int32_t channels, int8_t *output) {
  const cmsis_nn_context none = {NULL, 0};
  const cmsis_nn_dims in = {1, 1, 1, depth};
  const cmsis_nn_dims filter = {depth, 1, 1, channels};
  const cmsis_nn_dims out = {1, 1, 1, channels};
  tinsmith_fully_connected_packed_s8(&none, fc_params, quant, &in, input, &filter, weights, bias, &out, output);
}

#endif

arm_cmsis_nn_status tinsmith_fully_connected_packed_s2(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS || ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t depth = filter_dims->n;
  const int32_t stored = (depth + kDepthBlock - 1) / kDepthBlock * kDepthBlock;
  const int32_t channels = output_dims->c;
  const int32_t step = quant_params->is_per_channel ? kTogether : 0;
  cmsis_nn_quant_params quant = *quant_params;
  for (int32_t first = 0; first < channels; first += kTogether) {
    const int32_t count = channels - first < kTogether ? channels - first : kTogether;
    const int32_t rows = TINSMITH_NN_C ? (count + 3) / 4 * 4 : count;
    tinsmith_widen_s2(filter_data, rows * stored, ctx->buf);
    for (int32_t n = 0; n < input_dims->n; ++n) {
      multiply_some(fc_params, &quant, input_data + n * depth, depth, ctx->buf, bias_data + first, count,
                    output_data + n * channels + first);
    }
    filter_data += kTogether * stored / 4;
    quant.multiplier += step;
    quant.shift += step;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* !TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_COMMON_FULLY_CONNECTED_WIDENED_S2_BODY_H */
