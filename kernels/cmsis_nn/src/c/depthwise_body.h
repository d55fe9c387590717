/* The public depthwise functions for one image and one output per channel, in plain C and for the DSP extension. */
#ifndef TINSMITH_NN_C_DEPTHWISE_BODY_H
#define TINSMITH_NN_C_DEPTHWISE_BODY_H

#include "src/internal/arguments.h"
#include "src/internal/implementation.h"
#include "src/internal/public.h"

#if !TINSMITH_NN_MVE

/** One image, one output per channel, no dilation. */
static arm_cmsis_nn_status convolve_image(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const cmsis_nn_dw_conv_params params = tinsmith_depthwise_opt_params(dw_conv_params);
  const cmsis_nn_dims image = tinsmith_one_image(input_dims);
  return arm_depthwise_conv_s8(ctx, &params, quant_params, &image, input_data, filter_dims, filter_data, bias_dims,
                               bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_opt(input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
#if TINSMITH_NN_C /* Arm's plain C is the general function, which reads all members. */
  return arm_depthwise_conv_s8(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
#else
  return convolve_image(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                        bias_data, output_dims, output_data);
#endif
}

arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_3x3(dw_conv_params, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  return convolve_image(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                        bias_data, output_dims, output_data);
}

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_DEPTHWISE_BODY_H */
