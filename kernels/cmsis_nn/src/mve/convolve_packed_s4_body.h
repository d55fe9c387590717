/* Convolution on arranged weights of four bits, of any scale, on MVE: some channels at a time, whose weights become
 * bytes in scratch once for all windows.
 */
#ifndef TINSMITH_NN_MVE_CONVOLVE_PACKED_S4_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_PACKED_S4_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

/** Four channels: blocks of 16 bytes, each of 32 weights; up to 31 bytes more than there are weights are written.
 * Returns the end of the blocks read. */
static const int8_t *widen_four(const int8_t *halves, int32_t weights, int8_t *widened) {
  TINSMITH_NO_UNROLL
  for (; weights > 0; weights -= 2 * kByteLanes) {
    const int8x16_t bytes = vldrbq_s8(halves);
    vstrbq_s8(widened, vshrq_n_s8(vshlq_n_s8(bytes, 4), 4));
    vstrbq_s8(widened + kByteLanes, vshrq_n_s8(bytes, 4));
    halves += kByteLanes;
    widened += 2 * kByteLanes;
  }
  return halves;
}

arm_cmsis_nn_status tinsmith_convolve_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_convolve_packed(ctx, false, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  int8_t *widened = ctx->buf;
  int8_t *fields = widened + mve_widened_bytes(filter_dims);
  const int32_t at_once = mve_widened_channels(filter_dims);
  mve_matrix part = mve_matrix_of(conv_params, quant_params, filter_dims, widened, filter_dims->n, bias_data);
  for (int32_t left = filter_dims->n; left > 0; left -= part.channels) {
    part.channels = left < at_once ? left : at_once;
    for (int32_t channel = 0; channel < part.channels; channel += kWordLanes) {
      filter_data = widen_four(filter_data, kWordLanes * part.depth, widened + channel * part.depth);
    }
    tinsmith_mve_convolve_s8(conv_params, &part, input_dims, input_data, filter_dims, output_dims, output_data, fields,
                             mve_fields_at_once(part.depth));
    part.scale.multiplier += part.channels;
    part.scale.shift += part.channels;
    part.bias += part.channels;
    output_data += part.channels;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_PACKED_S4_BODY_H */
