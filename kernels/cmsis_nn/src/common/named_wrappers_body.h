/* The public wrappers under the names of this implementation and version. */
#ifndef TINSMITH_NN_COMMON_NAMED_WRAPPERS_BODY_H
#define TINSMITH_NN_COMMON_NAMED_WRAPPERS_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/public.h"

arm_cmsis_nn_status tinsmith_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data) {
  return arm_convolve_wrapper_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                 bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status tinsmith_depthwise_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  return arm_depthwise_conv_wrapper_s8(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                       filter_data, bias_dims, bias_data, output_dims, output_data);
}

#endif /* TINSMITH_NN_COMMON_NAMED_WRAPPERS_BODY_H */
