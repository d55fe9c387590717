/* The product every convolution and fully connected layer of the MVE kernels comes down to. */
#ifndef TINSMITH_NN_MVE_MATRIX_PRODUCT_H
#define TINSMITH_NN_MVE_MATRIX_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/mve/requantize.h"

/** The constant side: weights with everything that turns a sum into an output. */
typedef struct {
  const int8_t *weights; /**< [channels][depth], without gaps. */
  int32_t channels;      /**< Output channels, >= 1. */
  int32_t depth;         /**< Products per output, >= 1. */
  const int32_t *bias;   /**< [channels]; contains input_offset * (sum of the channel's weights). */
  mve_output_scale scale;
} mve_matrix;

/**
 * output[r][c] = requantize(bias[c] + sum over k of rows[r][k] * weights[c][k]).
 *
 * @param[in]  matrix       Weights and quantization.
 * @param[in]  rows         int8; row r starts at rows + r * row_pitch and has matrix->depth values.
 * @param[in]  row_pitch    Bytes from row to row, >= 1; may be smaller than depth (overlapping rows).
 * @param[in]  row_count    >= 0
 * @param[out] output       int8; row r starts at output + r * output_pitch.
 * @param[in]  output_pitch Bytes from row to row, >= channels.
 */
void tinsmith_mve_matrix_product_s8(const mve_matrix *matrix, const int8_t *rows, int32_t row_pitch, int32_t row_count,
                                    int8_t *output, int32_t output_pitch);

/** The same of one row; one multiplier and shift are enough if not per_channel. */
void tinsmith_mve_multiply_row(const mve_matrix *matrix, const int8_t *row, int8_t *output);

/** The same of rows without gaps, where weights_offset * (sum of a row) is added to all its sums. */
void tinsmith_mve_multiply_rows(const mve_matrix *matrix, int32_t weights_offset, const int8_t *rows, int32_t row_count,
                                int8_t *output);

#endif /* TINSMITH_NN_MVE_MATRIX_PRODUCT_H */
