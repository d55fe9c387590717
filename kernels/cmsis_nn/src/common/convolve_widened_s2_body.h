/* Convolution on arranged weights of two bits for plain C and MVE: they become bytes in scratch, once. */
#ifndef TINSMITH_NN_COMMON_CONVOLVE_WIDENED_S2_BODY_H
#define TINSMITH_NN_COMMON_CONVOLVE_WIDENED_S2_BODY_H

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_two_bits.h"
#include "src/internal/implementation.h"
#include "src/internal/rounding.h"

#if !TINSMITH_NN_DSP

#include "src/internal/widen_s2.h"

/** Plain C has groups of four channels. */
static int32_t weights_of(const cmsis_nn_dims *filter_dims) {
  const int32_t channels = TINSMITH_NN_C ? (filter_dims->n + 3) / 4 * 4 : filter_dims->n;
  return channels * filter_dims->h * filter_dims->w * filter_dims->c;
}

arm_cmsis_nn_status tinsmith_convolve_packed_s2(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  const cmsis_nn_context rest = tinsmith_widen_all_s2(ctx, weights_of(filter_dims), filter_data);
  if (rest.buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return tinsmith_convolve_packed_s8(&rest, conv_params, quant_params, input_dims, input_data, filter_dims, ctx->buf,
                                     bias_data, output_dims, output_data);
}

#if TINSMITH_NN_C

arm_cmsis_nn_status tinsmith_convolve_packed_any_s2(const cmsis_nn_context *ctx,
                                                    const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                    const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                    int8_t *output_data) {
  const cmsis_nn_context rest = tinsmith_widen_all_s2(ctx, weights_of(filter_dims), filter_data);
  if (rest.buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return tinsmith_convolve_packed_any_s8(&rest, conv_params, quant_params, input_dims, input_data, filter_dims,
                                         ctx->buf, bias_data, output_dims, output_data);
}

#endif /* TINSMITH_NN_C */

#endif /* !TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_COMMON_CONVOLVE_WIDENED_S2_BODY_H */
