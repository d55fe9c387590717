/* Convolution on a folded bias, of any scale, on MVE. */
#ifndef TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

arm_cmsis_nn_status tinsmith_convolve_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  const bool in_place = ctx->buf == NULL && mve_fields_in_place(conv_params, input_dims, filter_dims, output_dims);
  const arm_cmsis_nn_status status =
      tinsmith_check_convolve_packed(ctx, in_place, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const mve_matrix matrix =
      mve_matrix_of(conv_params, quant_params, filter_dims, filter_data, filter_dims->n, bias_data);
  tinsmith_mve_convolve_s8(conv_params, &matrix, input_dims, input_data, filter_dims, output_dims, output_data,
                           ctx->buf, mve_fields_at_once(matrix.depth));
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H */
