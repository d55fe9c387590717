/* Convolution on a folded bias, of any scale, on MVE. */
#ifndef TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/convolve_core.h"
#include "src/mve/copy.h"
#include "src/mve/scratch.h"

/** Whether two ranges of bytes share one. */
static bool do_overlap(const int8_t *a, int32_t a_bytes, const int8_t *b, int32_t b_bytes) {
  /* As numbers: pointers into two arrays may not be compared. */
  const uintptr_t a_first = (uintptr_t)a;
  const uintptr_t b_first = (uintptr_t)b;
  return a_first < b_first + (uintptr_t)b_bytes && b_first < a_first + (uintptr_t)a_bytes;
}

/** Pixels that outputs lie over: some are copied before their outputs are written. */
static void convolve_over(const mve_matrix *matrix, const int8_t *input, int32_t pixels, int8_t *output, int8_t *copied,
                          int32_t most) {
  while (pixels > 0) {
    const int32_t count = pixels < most ? pixels : most;
    mve_copy(copied, input, count * matrix->depth);
    tinsmith_mve_matrix_product_s8(matrix, copied, matrix->depth, count, output, matrix->channels);
    input += count * matrix->depth;
    output += count * matrix->channels;
    pixels -= count;
  }
}

arm_cmsis_nn_status tinsmith_convolve_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  const bool in_place = mve_convolve_packed_bytes(conv_params, input_dims, filter_dims, output_dims) == 0;
  const arm_cmsis_nn_status status =
      tinsmith_check_convolve_packed(ctx, in_place, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const mve_matrix matrix =
      mve_matrix_of(conv_params, quant_params, filter_dims, filter_data, filter_dims->n, bias_data);
  const int32_t most = mve_pixels_at_once(conv_params, input_dims, filter_dims, output_dims);
  const int32_t pixels = input_dims->n * output_dims->h * output_dims->w;
  if (most > 0 && do_overlap(input_data, pixels * matrix.depth, output_data, pixels * matrix.channels)) {
    const int32_t held = ctx->size / (3 * matrix.depth) * 3;
    if (held <= 0) {
      return ARM_CMSIS_NN_ARG_ERROR;
    }
    convolve_over(&matrix, input_data, pixels, output_data, ctx->buf, held < most ? held : most);
    return ARM_CMSIS_NN_SUCCESS;
  }
  tinsmith_mve_convolve_s8(conv_params, &matrix, input_dims, input_data, filter_dims, output_dims, output_data,
                           ctx->buf, mve_fields_at_once(matrix.depth));
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_PACKED_BODY_H */
