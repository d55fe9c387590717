/* Transposed convolution of int8 for plain C and the DSP extension (internal/transpose_conv.h). */

#include "src/internal/transpose_conv.h"

#include "src/internal/convolve.h"
#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

void tinsmith_transpose_conv_part_s8(const tinsmith_transpose_conv_filter *filter, const cmsis_nn_conv_params *params,
                                     const cmsis_nn_dims *input_dims, const int8_t *input,
                                     const cmsis_nn_dims *output_dims, int8_t *output, void *windows) {
  tinsmith_convolution_layer layer = tinsmith_convolution_layer_of(
      params, &filter->quant_params, input_dims, input, &filter->kernel, filter->weights, filter->bias, output_dims);
  layer.channels = filter->channels;
#if TINSMITH_NN_DSP
  if (layer.pixels > 1 && (uintptr_t)windows % sizeof(uint32_t) == 0) {
    tinsmith_convolve_columns(&layer, windows, output);
    return;
  }
#endif
  tinsmith_convolve_rows(&layer, windows, output);
}

#endif /* !TINSMITH_NN_MVE */
