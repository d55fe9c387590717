/* Fully connected layers on MVE: a matrix product whose rows are the batches. */
#ifndef TINSMITH_NN_MVE_FULLY_CONNECTED_BODY_H
#define TINSMITH_NN_MVE_FULLY_CONNECTED_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "src/internal/compiler.h"
#include "src/internal/public.h"
#include "src/mve/matrix_product.h"

/** Everything but the multipliers and shifts. */
static mve_matrix matrix_of(const cmsis_nn_fc_params *params, int32_t depth, int32_t channels, const int8_t *filter,
                            const int32_t *folded_bias) {
  const mve_matrix matrix = {
      .weights = filter,
      .channels = channels,
      .depth = depth,
      .bias = folded_bias,
      .scale = {.range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  return matrix;
}

static void multiply_batches(const mve_matrix *matrix, int32_t filter_offset, int32_t batches, const int8_t *input,
                             int8_t *output) {
  if (filter_offset == 0) {
    tinsmith_mve_matrix_product_s8(matrix, input, matrix->depth, batches, output, matrix->channels);
  } else {
    tinsmith_mve_multiply_rows(matrix, filter_offset, input, batches, output);
  }
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)bias_dims;
  (void)bias_data;
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  mve_matrix matrix = matrix_of(fc_params, filter_dims->n, output_dims->c, filter_data, ctx->buf);
  matrix.scale.multiplier = &quant_params->multiplier;
  matrix.scale.shift = &quant_params->shift;
  if (input_dims->n == 1 && fc_params->filter_offset == 0) {
    tinsmith_mve_multiply_row(&matrix, input_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
  }
  int32_t multiplier[kWordLanes], shift[kWordLanes]; /* Copies, because the product reads four at a time. */
  vstrwq_s32(multiplier, vdupq_n_s32(quant_params->multiplier));
  vstrwq_s32(shift, vdupq_n_s32(quant_params->shift));
  matrix.scale.multiplier = multiplier;
  matrix.scale.shift = shift;
  matrix.scale.shifts_right = quant_params->shift < 0;
  multiply_batches(&matrix, fc_params->filter_offset, input_dims->n, input_data, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)bias_dims;
  (void)bias_data;
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  mve_matrix matrix = matrix_of(fc_params, filter_dims->n, output_dims->c, filter_data, ctx->buf);
  matrix.scale.multiplier = quant_params->multiplier;
  matrix.scale.shift = quant_params->shift;
  matrix.scale.per_channel = true;
  if (input_dims->n == 1 && fc_params->filter_offset == 0) {
    tinsmith_mve_multiply_row(&matrix, input_data, output_data);
    return ARM_CMSIS_NN_SUCCESS;
  }
  matrix.scale.shifts_right = tinsmith_mve_shifts_right(quant_params->shift, output_dims->c);
  multiply_batches(&matrix, fc_params->filter_offset, input_dims->n, input_data, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

/** sums[0..3] = sums of four rows of `depth` values. */
static inline void sum_four_rows(const int8_t *row0, int32_t depth, int32_t sums[kWordLanes]) {
  const int8_t *row1 = row0 + depth;
  const int8_t *row2 = row1 + depth;
  const int8_t *row3 = row2 + depth;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    s0 = vaddvaq_p_s8(s0, vldrbq_z_s8(row0, p), p);
    s1 = vaddvaq_p_s8(s1, vldrbq_z_s8(row1, p), p);
    s2 = vaddvaq_p_s8(s2, vldrbq_z_s8(row2, p), p);
    s3 = vaddvaq_p_s8(s3, vldrbq_z_s8(row3, p), p);
    row0 += kByteLanes;
    row1 += kByteLanes;
    row2 += kByteLanes;
    row3 += kByteLanes;
  }
  TINSMITH_KEEP_ORDER(s0); /* or compilers make a vector of them within the loop, which is no longer tail-predicated */
  TINSMITH_KEEP_ORDER(s1);
  TINSMITH_KEEP_ORDER(s2);
  TINSMITH_KEEP_ORDER(s3);
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data) {
  int32_t row = 0;
  for (; row + kWordLanes <= vector_rows; row += kWordLanes) {
    int32_t sums[kWordLanes];
    sum_four_rows(vector_data, vector_cols, sums);
    const int32x4_t bias = bias_data == NULL ? vdupq_n_s32(0) : vldrwq_s32(bias_data + row);
    const int32x4_t moved = vaddq_n_s32(vldrwq_s32(sums), vector_cols * rhs_offset);
    vstrwq_s32(vector_sum_buf + row, vmlaq_n_s32(bias, moved, lhs_offset));
    vector_data += kWordLanes * vector_cols;
  }
  for (; row < vector_rows; ++row) {
    int32_t sum = vector_cols * rhs_offset;
    for (int32_t left = vector_cols; left > 0; left -= kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      sum = vaddvaq_p_s8(sum, vldrbq_z_s8(vector_data + vector_cols - left, p), p);
    }
    vector_sum_buf[row] = (bias_data != NULL ? bias_data[row] : 0) + lhs_offset * sum;
    vector_data += vector_cols;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_FULLY_CONNECTED_BODY_H */
