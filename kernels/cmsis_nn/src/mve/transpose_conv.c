/* Transposed convolution of int8 on MVE (internal/transpose_conv.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/transpose_conv.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

void tinsmith_transpose_conv_part_s8(const tinsmith_transpose_conv_filter *filter, const cmsis_nn_conv_params *params,
                                     const cmsis_nn_dims *input_dims, const int8_t *input,
                                     const cmsis_nn_dims *output_dims, int8_t *output, void *windows) {
  const mve_matrix matrix = {
      .weights = filter->weights,
      .channels = filter->channels,
      .depth = filter->kernel.h * filter->kernel.w * filter->kernel.c,
      .bias = filter->bias,
      .scale = {.multiplier = filter->quant_params.multiplier,
                .shift = filter->quant_params.shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(filter->quant_params.shift, filter->channels),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  const int32_t pixels = output_dims->h * output_dims->w;
  const int32_t fitting = mve_fields_at_once(matrix.depth);
  tinsmith_mve_convolve_s8(params, &matrix, input_dims, input, &filter->kernel, output_dims, output, windows,
                           pixels < fitting ? pixels : fitting);
}

#endif /* TINSMITH_NN_MVE */
