/* Fully connected layers on MVE: a matrix product whose rows are the batches. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/mve/matrix_product.h"

/** Copies of one multiplier and shift, because the product reads four at a time. */
typedef struct {
  int32_t multiplier[kWordLanes];
  int32_t shift[kWordLanes];
} repeated_scale;

static void repeat(repeated_scale *repeated, int32_t multiplier, int32_t shift) {
  vstrwq_s32(repeated->multiplier, vdupq_n_s32(multiplier));
  vstrwq_s32(repeated->shift, vdupq_n_s32(shift));
}

static mve_matrix matrix_of(const cmsis_nn_fc_params *params, const int32_t *multiplier, const int32_t *shift,
                            bool per_channel, int32_t depth, int32_t channels, const int8_t *filter,
                            const int32_t *folded_bias) {
  const mve_matrix matrix = {
      .weights = filter,
      .channels = channels,
      .depth = depth,
      .bias = folded_bias,
      .scale = {.multiplier = multiplier,
                .shift = shift,
                .per_channel = per_channel,
                .shifts_right = tinsmith_mve_shifts_right(shift, per_channel ? channels : 1),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  return matrix;
}

/** Channels whose bias a row changes at a time. */
enum { kChannelsAtOnce = 64 };

/** A filter offset adds filter_offset * (sum of the row) to each of a row's sums: a bias that differs row by row. */
static void multiply_row_with_offset(const mve_matrix *matrix, int32_t filter_offset, const int8_t *row,
                                     int8_t *output) {
  int32_t row_sum;
  arm_vector_sum_s8(&row_sum, matrix->depth, 1, row, filter_offset, 0, NULL);
  for (int32_t channel = 0; channel < matrix->channels; channel += kChannelsAtOnce) {
    int32_t bias[kChannelsAtOnce];
    mve_matrix part = *matrix;
    const int32_t rest = matrix->channels - channel;
    part.channels = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    part.weights += channel * matrix->depth;
    part.bias = bias;
    if (part.scale.per_channel) {
      part.scale.multiplier += channel;
      part.scale.shift += channel;
    }
    for (int32_t i = 0; i < part.channels; i += kWordLanes) {
      const mve_pred16_t p = vctp32q((uint32_t)(part.channels - i));
      const int32x4_t folded = vldrwq_z_s32(matrix->bias + channel + i, p);
      vstrwq_p_s32(bias + i, vaddq_n_s32(folded, row_sum), p);
    }
    tinsmith_mve_matrix_product_s8(&part, row, part.depth, 1, output + channel, part.channels);
  }
}

static void multiply(const mve_matrix *matrix, int32_t filter_offset, int32_t batches, const int8_t *input,
                     int8_t *output) {
  if (filter_offset == 0) {
    tinsmith_mve_matrix_product_s8(matrix, input, matrix->depth, batches, output, matrix->channels);
    return;
  }
  for (int32_t batch = 0; batch < batches; ++batch) {
    multiply_row_with_offset(matrix, filter_offset, input + batch * matrix->depth, output + batch * matrix->channels);
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
  repeated_scale repeated;
  repeat(&repeated, quant_params->multiplier, quant_params->shift);
  const mve_matrix matrix = matrix_of(fc_params, repeated.multiplier, repeated.shift, false, filter_dims->n,
                                      output_dims->c, filter_data, ctx->buf);
  multiply(&matrix, fc_params->filter_offset, input_dims->n, input_data, output_data);
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
  const mve_matrix matrix = matrix_of(fc_params, quant_params->multiplier, quant_params->shift, true, filter_dims->n,
                                      output_dims->c, filter_data, ctx->buf);
  multiply(&matrix, fc_params->filter_offset, input_dims->n, input_data, output_data);
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
