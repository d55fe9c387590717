/* Products of int16 matrices: a row of one with two rows of the other at a time. */

#include <stdbool.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots_s16.h"
#include "src/internal/matrices.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"

/** What all rows share. */
typedef struct {
  int32_t depth;
  int32_t columns;
  tinsmith_scale_s64 scale;
  cmsis_nn_activation range;
} product;

/** One row of lhs times all rows of rhs. needs_left: whether sums are shifted to the left at all. */
TINSMITH_ALWAYS_INLINE void multiply_row(const product *p, bool needs_left, const int16_t *lhs, const int16_t *rhs,
                                         int16_t *output) {
  const int32_t depth = p->depth;
  const cmsis_nn_activation range = p->range;
  tinsmith_scale_s64 scale = p->scale;
  scale.left = needs_left ? scale.left : 0;
  TINSMITH_NO_UNROLL
  for (int32_t left = p->columns; left > 0; left -= 2) {
    const int16_t *second = left > 1 ? rhs + depth : rhs;
    const tinsmith_two_sums sums = tinsmith_two_dots_s16(lhs, rhs, second, depth);
    output[0] = (int16_t)tinsmith_clamp(tinsmith_scale_sum_s64(sums.first, &scale), range.min, range.max);
    if (left > 1) {
      output[1] = (int16_t)tinsmith_clamp(tinsmith_scale_sum_s64(sums.second, &scale), range.min, range.max);
    }
    rhs = second + depth;
    output += 2;
  }
}

/** The usual case, and the one that shifts. Not inlined: they need every register. */
TINSMITH_NOINLINE static void multiply_row_right(const product *p, const int16_t *lhs, const int16_t *rhs,
                                                 int16_t *output) {
  multiply_row(p, false, lhs, rhs, output);
}

TINSMITH_NOINLINE static void multiply_row_left(const product *p, const int16_t *lhs, const int16_t *rhs,
                                                int16_t *output) {
  multiply_row(p, true, lhs, rhs, output);
}

arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output) {
  (void)ctx;
  const int32_t rows = input_lhs_dims->w;
  const product p = {
      .depth = input_rhs_dims->c,
      .columns = input_rhs_dims->w,
      .scale = tinsmith_scale_of_s64(tinsmith_reduced_multiplier(quant_params->multiplier), quant_params->shift),
      .range = bmm_params->fc_params.activation,
  };
  for (int32_t n = 0; n < output_dims->n; ++n) {
    for (int32_t h = 0; h < output_dims->h; ++h) {
      const int16_t *lhs = input_lhs + tinsmith_matrix_offset(input_lhs_dims, n, h);
      const int16_t *rhs = input_rhs + tinsmith_matrix_offset(input_rhs_dims, n, h);
      for (int32_t row = 0; row < rows; ++row) {
        if (p.scale.left > 0) {
          multiply_row_left(&p, lhs + row * p.depth, rhs, output);
        } else {
          multiply_row_right(&p, lhs + row * p.depth, rhs, output);
        }
        output += p.columns;
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}
