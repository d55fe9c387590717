/* Depthwise convolution on arranged weights of two bits, for all implementations, of scales that its relative on bytes
 * takes. */
#ifndef TINSMITH_NN_COMMON_DEPTHWISE_PACKED_S2_BODY_H
#define TINSMITH_NN_COMMON_DEPTHWISE_PACKED_S2_BODY_H

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_two_bits.h"
#include "src/internal/implementation.h"
#include "src/internal/rounding.h"
#include "src/internal/widen_s2.h"

arm_cmsis_nn_status tinsmith_depthwise_packed_s2(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  const cmsis_nn_context rest =
      tinsmith_widen_all_s2(ctx, filter_dims->h * filter_dims->w * filter_dims->c, filter_data);
  if (rest.buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
#if TINSMITH_NN_MVE
  if (filter_dims->h == 3 && filter_dims->w == 3) {
    return tinsmith_depthwise_packed_3x3_s8(&rest, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                            ctx->buf, bias_data, output_dims, output_data);
  }
#endif
  return tinsmith_depthwise_packed_s8(&rest, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                      ctx->buf, bias_data, output_dims, output_data);
}

#endif /* TINSMITH_NN_COMMON_DEPTHWISE_PACKED_S2_BODY_H */
