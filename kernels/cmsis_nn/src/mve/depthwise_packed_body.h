/* Depthwise convolution on a folded bias, of any scale, on MVE. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_PACKED_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_PACKED_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/depthwise_layer.h"

arm_cmsis_nn_status tinsmith_depthwise_packed_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  const arm_cmsis_nn_status status =
      tinsmith_check_depthwise_packed(ctx, dw_conv_params, 1, 1, input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  mve_convolve_depthwise(ctx->buf, false, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                         filter_data, bias_data, true, output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_PACKED_BODY_H */
