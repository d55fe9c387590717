/* The cores of the public convolutions, for plain C and the DSP extension. */
#ifndef TINSMITH_NN_INTERNAL_CONVOLVE_H
#define TINSMITH_NN_INTERNAL_CONVOLVE_H

#include "src/internal/im2col.h"
#include "src/internal/rounding.h"

/** One layer, its arguments checked. */
typedef struct {
  tinsmith_windows windows;
  int32_t pixels;          /* of the output, over all batches */
  int32_t channels;        /* computed, of all groups */
  int32_t output_channels; /* from one pixel of the output to the next: `channels` unless they are a part of them */
  const cmsis_nn_conv_params *params;
  const cmsis_nn_per_channel_quant_params *quant_params;
  const int8_t *filter; /* OHWI */
  const int32_t *bias;  /* or NULL */
} tinsmith_convolution_layer;

static inline tinsmith_convolution_layer tinsmith_convolution_layer_of(
    const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter,
    const int32_t *bias, const cmsis_nn_dims *output_dims) {
  return (tinsmith_convolution_layer){
      .windows = tinsmith_windows_of(params, input_dims, input, filter_dims, output_dims),
      .pixels = input_dims->n * output_dims->h * output_dims->w,
      .channels = output_dims->c,
      .output_channels = output_dims->c,
      .params = params,
      .quant_params = quant_params,
      .filter = filter,
      .bias = bias,
  };
}

/** Whether windows need no copy: one pixel of all channels, inside the input. */
static inline bool tinsmith_layer_is_in_place(const tinsmith_convolution_layer *layer) {
  const tinsmith_windows *windows = &layer->windows;
  return tinsmith_windows_are_pixels(windows) && windows->channels == windows->input_dims.c &&
         (windows->output_h - 1) * windows->stride.h < windows->input_dims.h &&
         (windows->output_w - 1) * windows->stride.w < windows->input_dims.w;
}

/** Window by window, times the rows of the filter. column: room for one window at any address; not used in place. */
void tinsmith_convolve_rows(const tinsmith_convolution_layer *layer, int8_t *column, int8_t *output);

/** DSP extension only: two windows at a time. scratch: 4-byte aligned; two columns of int16, then, if not in place, one
 * window of bytes. */
void tinsmith_convolve_columns(const tinsmith_convolution_layer *layer, void *scratch, int8_t *output);

#endif /* TINSMITH_NN_INTERNAL_CONVOLVE_H */
