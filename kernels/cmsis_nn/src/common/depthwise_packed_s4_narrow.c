/* Depthwise convolution on arranged weights of four bits, for plain C and the DSP extension, with narrow multipliers.
 */

#include "include/tinsmith_nn_narrow.h"
#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/widen_s4.h"

arm_cmsis_nn_status tinsmith_depthwise_packed_s4_narrow(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_dw_conv_params *dw_conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data) {
  const cmsis_nn_context rest = tinsmith_widen_depthwise_s4(ctx, filter_dims, filter_data);
  if (rest.buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return tinsmith_depthwise_packed_s8_narrow(&rest, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                             ctx->buf, bias_data, output_dims, output_data);
}

#endif /* !TINSMITH_NN_MVE */
