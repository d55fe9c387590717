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
#else
/** Two groups of the kernel on bytes. */
enum { kTogether = 12, kDepthBlock = 16 };
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
  const cmsis_nn_context none = {NULL, 0};
  const int32_t depth = (filter_dims->n + kDepthBlock - 1) / kDepthBlock * kDepthBlock;
  const int32_t channels = output_dims->c;
  const int32_t step = quant_params->is_per_channel ? kTogether : 0;
  cmsis_nn_quant_params quant = *quant_params;
  for (int32_t first = 0; first < channels; first += kTogether) {
    const int32_t count = channels - first < kTogether ? channels - first : kTogether;
    const int32_t rows = TINSMITH_NN_C ? (count + 3) / 4 * 4 : count;
    tinsmith_widen_s2(filter_data, rows * depth, ctx->buf);
    const cmsis_nn_dims some = {.n = filter_dims->n, .h = 1, .w = 1, .c = count};
    const cmsis_nn_dims one = {.n = 1, .h = 1, .w = 1, .c = count};
    const cmsis_nn_dims input = {.n = 1, .h = input_dims->h, .w = input_dims->w, .c = input_dims->c};
    for (int32_t n = 0; n < input_dims->n; ++n) {
      tinsmith_fully_connected_packed_s8(&none, fc_params, &quant, &input, input_data + n * filter_dims->n, &some,
                                         ctx->buf, bias_data + first, &one, output_data + n * channels + first);
    }
    filter_data += kTogether * depth / 4;
    quant.multiplier += step;
    quant.shift += step;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* !TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_COMMON_FULLY_CONNECTED_WIDENED_S2_BODY_H */
