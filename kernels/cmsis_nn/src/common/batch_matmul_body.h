/* Products of int8 matrices: each a fully connected layer whose filter is the other operand. */
#ifndef TINSMITH_NN_COMMON_BATCH_MATMUL_BODY_H
#define TINSMITH_NN_COMMON_BATCH_MATMUL_BODY_H

#include <stddef.h>

#include "src/internal/implementation.h"
#include "src/internal/matrices.h"
#include "src/internal/public.h"

arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output) {
  const int32_t rows = input_lhs_dims->w;
  const int32_t columns = input_rhs_dims->w;
  const int32_t depth = input_rhs_dims->c;
  const cmsis_nn_dims lhs_dims = {.n = rows, .h = 1, .w = 1, .c = depth};
  const cmsis_nn_dims filter_dims = {.n = depth, .h = 1, .w = 1, .c = columns};
  const cmsis_nn_dims product_dims = {.n = rows, .h = 1, .w = 1, .c = columns};
  const cmsis_nn_fc_params *params = &bmm_params->fc_params;
  if (TINSMITH_NN_MVE && ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t n = 0; n < output_dims->n; ++n) {
    for (int32_t h = 0; h < output_dims->h; ++h) {
      const int8_t *lhs = input_lhs + tinsmith_matrix_offset(input_lhs_dims, n, h);
      const int8_t *rhs = input_rhs + tinsmith_matrix_offset(input_rhs_dims, n, h);
      if (TINSMITH_NN_MVE) { /* The buffer is an input of the layer. */
        arm_vector_sum_s8(ctx->buf, depth, columns, rhs, params->input_offset, params->filter_offset, NULL);
      }
      const arm_cmsis_nn_status status = arm_fully_connected_s8(ctx, params, quant_params, &lhs_dims, lhs, &filter_dims,
                                                                rhs, &product_dims, NULL, &product_dims, output);
      if (status != ARM_CMSIS_NN_SUCCESS) {
        return status;
      }
      output += rows * columns;
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_COMMON_BATCH_MATMUL_BODY_H */
