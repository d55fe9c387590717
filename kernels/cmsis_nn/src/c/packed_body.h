/* Convolution and fully connected on arranged weights in plain C, of scales below 0.5. */
#ifndef TINSMITH_NN_C_PACKED_BODY_H
#define TINSMITH_NN_C_PACKED_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

#include "src/c/packed_pixels.h"

arm_cmsis_nn_status tinsmith_convolve_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  return convolve_pixels(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                         output_dims, output_data, false);
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  (void)ctx;
  return multiply_rows(fc_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                       output_dims, output_data, false);
}

#endif /* TINSMITH_NN_C */

#endif /* TINSMITH_NN_C_PACKED_BODY_H */
