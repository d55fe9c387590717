/* Convolution, of scales below 0.5, and fully connected, of any, on arranged weights of four bits in plain C; the
 * latter also with multipliers of blocks. */
#ifndef TINSMITH_NN_C_PACKED_S4_BODY_H
#define TINSMITH_NN_C_PACKED_S4_BODY_H

#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_blockwise.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

#define TINSMITH_NN_FOUR_BITS 1

#include "src/c/packed_blocks.h"
#include "src/c/packed_pixels.h"

arm_cmsis_nn_status tinsmith_convolve_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  return convolve_pixels(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                         output_dims, output_data, false);
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  (void)ctx;
  return multiply_rows(fc_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                       output_dims, output_data, true);
}

arm_cmsis_nn_status tinsmith_blockwise_fully_connected_packed_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, int32_t block, const cmsis_nn_dims *output_dims,
    int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  int32_t *starts = tinsmith_block_starts(ctx, filter_dims, block);
  if (status != ARM_CMSIS_NN_SUCCESS || starts == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const output_stage stage = stage_of_rows(fc_params, quant_params, bias_data);
  const int32_t depth = filter_dims->n;
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    const int8_t *x = input_data + n * depth;
    tinsmith_start_blocks(x, depth, block, starts);
    multiply_blocks(stage, x, filter_data, starts, depth, block, channels, output_data + n * channels);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_C */

#endif /* TINSMITH_NN_C_PACKED_S4_BODY_H */
