/* The public functions that only choose another one by shape. */
#ifndef TINSMITH_NN_COMMON_WRAPPERS_BODY_H
#define TINSMITH_NN_COMMON_WRAPPERS_BODY_H

#include "src/internal/public.h"
#include "src/internal/shapes.h"

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data) {
  switch (tinsmith_convolution_of(conv_params, input_dims, filter_dims)) {
    case kConvolution1x1Fast:
      return arm_convolve_1x1_s8_fast(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                      bias_dims, bias_data, output_dims, output_data);
    case kConvolution1x1:
      return arm_convolve_1x1_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                 bias_dims, bias_data, output_dims, output_data);
    case kConvolution1xN:
      return arm_convolve_1_x_n_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                   bias_dims, bias_data, output_dims, output_data);
    default:
      return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                             bias_dims, bias_data, NULL, output_dims, output_data);
  }
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data) {
  switch (tinsmith_depthwise_of(dw_conv_params, input_dims, filter_dims)) {
    case kDepthwise3x3:
      return arm_depthwise_conv_3x3_s8(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                       filter_data, bias_dims, bias_data, output_dims, output_data);
    case kDepthwiseDense:
      return arm_depthwise_conv_s8_opt(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                       filter_data, bias_dims, bias_data, output_dims, output_data);
    default:
      return arm_depthwise_conv_s8(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                   bias_dims, bias_data, output_dims, output_data);
  }
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (quant_params->is_per_channel) {
    const cmsis_nn_per_channel_quant_params per_channel = {quant_params->multiplier, quant_params->shift};
    return arm_fully_connected_per_channel_s8(ctx, fc_params, &per_channel, input_dims, input_data, filter_dims,
                                              filter_data, bias_dims, bias_data, output_dims, output_data);
  }
  const cmsis_nn_per_tensor_quant_params per_tensor = {*quant_params->multiplier, *quant_params->shift};
  return arm_fully_connected_s8(ctx, fc_params, &per_tensor, input_dims, input_data, filter_dims, filter_data,
                                bias_dims, bias_data, output_dims, output_data);
}

#endif /* TINSMITH_NN_COMMON_WRAPPERS_BODY_H */
