/* Scratch of the functions whose weights have four bits. */

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn_blockwise.h"
#include "src/internal/convolve_s4.h"
#include "src/internal/implementation.h"
#include "src/internal/shapes.h"
#include "src/mve/scratch.h"

/** The filter as the rule of the wrappers wants it: without groups. */
static tinsmith_convolution kind_of(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                    const cmsis_nn_dims *filter_dims) {
  const cmsis_nn_dims taps = {.h = filter_dims->h, .w = filter_dims->w, .c = input_dims->c};
  return tinsmith_convolution_of(conv_params, input_dims, &taps);
}

static int32_t window_bytes(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  return (filter_dims->h * filter_dims->w * input_dims->c + 3) / 4 * 4;
}

/* MVE: as many windows as are multiplied at once. */
static int32_t convolve_bytes_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  const cmsis_nn_dims taps = {.h = filter_dims->h, .w = filter_dims->w, .c = input_dims->c};
  return tinsmith_widens(taps.h * taps.w * taps.c) ? mve_fields_bytes(&taps) : window_bytes(input_dims, filter_dims);
}

int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  return TINSMITH_NN_MVE ? convolve_bytes_mve(input_dims, filter_dims) : window_bytes(input_dims, filter_dims);
}

int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims) {
  (void)conv_params;
  (void)output_dims;
  return arm_convolve_s4_get_buffer_size(input_dims, filter_dims);
}

int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims) {
  (void)input_dims;
  return 0;
}

int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims) {
  return TINSMITH_NN_MVE
             ? arm_convolve_wrapper_s4_get_buffer_size_mve(conv_params, input_dims, filter_dims, output_dims)
             : arm_convolve_wrapper_s4_get_buffer_size_dsp(conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  const bool windows_are_copied = kind_of(conv_params, input_dims, filter_dims) > kConvolution1x1;
  return windows_are_copied ? window_bytes(input_dims, filter_dims) : 0;
}

int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  const bool windows_are_copied = kind_of(conv_params, input_dims, filter_dims) > kConvolution1x1;
  return windows_are_copied ? convolve_bytes_mve(input_dims, filter_dims) : 0;
}

/* C and DSP: a word for each block. */
int32_t tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size(const cmsis_nn_dims *filter_dims, int32_t block) {
  return (filter_dims->n + block - 1) / block * 4;
}
