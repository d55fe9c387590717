/* The public fully connected functions for plain C and the DSP extension. */
#ifndef TINSMITH_NN_C_FULLY_CONNECTED_BODY_H
#define TINSMITH_NN_C_FULLY_CONNECTED_BODY_H

#include <stddef.h>

#include "src/internal/implementation.h"
#include "src/internal/public.h"
#include "src/internal/rows.h"
#include "src/internal/sum_s8.h"

#if !TINSMITH_NN_MVE

static arm_cmsis_nn_status multiply_batches(const cmsis_nn_fc_params *fc_params, const int32_t *multiplier,
                                            const int32_t *shift, int32_t stage_step, const cmsis_nn_dims *input_dims,
                                            const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                            const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output) {
  const tinsmith_rows rows = {
      .weights = filter,
      .bias = bias,
      .multiplier = multiplier,
      .shift = shift,
      .stage_step = stage_step,
      .rows = output_dims->c,
      .depth = filter_dims->n,
      .x_offset = fc_params->input_offset,
      .weights_offset = fc_params->filter_offset,
      .zero_point = fc_params->output_offset,
      .activation = fc_params->activation,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    tinsmith_multiply_rows(&rows, input + n * rows.depth, output + n * rows.rows);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  return multiply_batches(fc_params, &quant_params->multiplier, &quant_params->shift, 0, input_dims, input_data,
                          filter_dims, filter_data, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  return multiply_batches(fc_params, quant_params->multiplier, quant_params->shift, 1, input_dims, input_data,
                          filter_dims, filter_data, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data) {
  for (int32_t r = 0; r < vector_rows; ++r) {
    const int32_t sum = rhs_offset * vector_cols + tinsmith_sum_s8(vector_data, vector_cols);
    vector_sum_buf[r] = (bias_data == NULL ? 0 : bias_data[r]) + sum * lhs_offset;
    vector_data += vector_cols;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_FULLY_CONNECTED_BODY_H */
