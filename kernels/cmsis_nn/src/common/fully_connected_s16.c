/* Fully connected layers of int16. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/rows_s16.h"

arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                            const cmsis_nn_per_tensor_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int16_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  const tinsmith_rows_s16 rows = {
      .weights = filter_data,
      .bias = {bias_data, false},
      .multiplier = &quant_params->multiplier,
      .shift = &quant_params->shift,
      .stage_step = 0,
      .rows = output_dims->c,
      .depth = filter_dims->n,
      .activation = fc_params->activation,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    tinsmith_multiply_rows_s16(&rows, input_data + n * rows.depth, output_data + n * rows.rows);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                          const int8_t *vector_data, const int32_t lhs_offset,
                                          const int64_t *bias_data) {
  if (lhs_offset == 0) { /* as always of int16 */
    for (int32_t row = 0; row < vector_rows; ++row) {
      vector_sum_buf[row] = bias_data == NULL ? 0 : bias_data[row];
    }
    return ARM_CMSIS_NN_SUCCESS;
  }
  for (int32_t row = 0; row < vector_rows; ++row) {
    int32_t sum;
    arm_vector_sum_s8(&sum, vector_cols, 1, vector_data + row * vector_cols, 1, 0, NULL);
    vector_sum_buf[row] = (bias_data == NULL ? 0 : bias_data[row]) + (int64_t)lhs_offset * sum;
  }
  return ARM_CMSIS_NN_SUCCESS;
}
