/* Fully connected layers and products of matrices of int16. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/dots.h"
#include "src/internal/matrices.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"
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
  for (int32_t row = 0; row < vector_rows; ++row) {
    int32_t sum;
    arm_vector_sum_s8(&sum, vector_cols, 1, vector_data + row * vector_cols, 1, 0, NULL);
    vector_sum_buf[row] = (bias_data == NULL ? 0 : bias_data[row]) + (int64_t)lhs_offset * sum;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** One row of lhs times all rows of rhs. */
static void multiply_row(const int16_t *lhs, const int16_t *rhs, int32_t depth, int32_t columns, int32_t multiplier,
                         int32_t shift, const cmsis_nn_activation *activation, int16_t *output) {
  for (int32_t first = 0; first < columns; first += kDotRows) {
    const int32_t left = columns - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int64_t sums[kDotRows] = {0};
    tinsmith_dots_s16(sums, lhs, rhs + first * depth, depth, count);
    for (int32_t r = 0; r < count; ++r) {
      const int32_t value = tinsmith_requantize_s64(sums[r], multiplier, shift);
      output[first + r] = (int16_t)tinsmith_clamp(value, activation->min, activation->max);
    }
  }
}

arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output) {
  (void)ctx;
  const int32_t rows = input_lhs_dims->w;
  const int32_t columns = input_rhs_dims->w;
  const int32_t depth = input_rhs_dims->c;
  const int32_t multiplier = tinsmith_reduced_multiplier(quant_params->multiplier);
  for (int32_t n = 0; n < output_dims->n; ++n) {
    for (int32_t h = 0; h < output_dims->h; ++h) {
      const int16_t *lhs = input_lhs + tinsmith_matrix_offset(input_lhs_dims, n, h);
      const int16_t *rhs = input_rhs + tinsmith_matrix_offset(input_rhs_dims, n, h);
      for (int32_t row = 0; row < rows; ++row) {
        multiply_row(lhs + row * depth, rhs, depth, columns, multiplier, quant_params->shift,
                     &bmm_params->fc_params.activation, output);
        output += columns;
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}
