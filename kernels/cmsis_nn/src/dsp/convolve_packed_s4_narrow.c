/* Convolution on arranged weights of four bits for the DSP extension, with narrow multipliers. */

#include "include/tinsmith_nn_narrow.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#define TINSMITH_NN_FOUR_BITS 1
#define TINSMITH_NN_NARROW 1

#include "src/dsp/convolve_columns.h"

arm_cmsis_nn_status tinsmith_convolve_packed_s4_narrow(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  return convolve_columns(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                          output_dims, output_data, false, true);
}

#endif /* TINSMITH_NN_DSP */
