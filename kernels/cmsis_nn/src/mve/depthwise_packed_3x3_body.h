/* Depthwise convolution by 3x3 taps on a folded bias, of any scale, on MVE. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_PACKED_3X3_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_PACKED_3X3_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/depthwise_layer.h"

arm_cmsis_nn_status tinsmith_depthwise_packed_3x3_s8(const cmsis_nn_context *ctx,
                                                     const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                                     const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                     const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                     int8_t *output_data) {
  const arm_cmsis_nn_status status =
      tinsmith_check_depthwise_packed(ctx, dw_conv_params, 1, 1, input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS || filter_dims->h != 3 || filter_dims->w != 3) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const mve_depthwise layer = mve_depthwise_of(dw_conv_params, quant_params, filter_data, bias_data, true, output_dims);
  const mve_axes axes = mve_3x3_axes(dw_conv_params, input_dims, filter_dims, output_dims);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    tinsmith_mve_depthwise_3x3_s8(&layer, &axes, input_data, output_data, ctx->buf);
    input_data += input_dims->h * input_dims->w * input_dims->c;
    output_data += output_dims->h * output_dims->w * output_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_PACKED_3X3_BODY_H */
