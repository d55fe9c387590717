/* Scratch of the int16 functions. */

#include "include/arm_nnfunctions.h"
#include "src/internal/rows_s16.h"

/* Windows, and what aligns them. */
static int32_t convolve_bytes(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims, int32_t windows) {
  const int32_t depth = filter_dims->h * filter_dims->w * input_dims->c;
  return (2 * windows * depth + 3) / 4 * 4 + 4;
}

int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  return convolve_bytes(input_dims, filter_dims, kWindows);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims) {
  (void)conv_params;
  (void)output_dims;
  return arm_convolve_s16_get_buffer_size(input_dims, filter_dims);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims) {
  (void)conv_params;
  (void)output_dims;
  return convolve_bytes(input_dims, filter_dims, 1);
}

int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims) {
  (void)conv_params;
  (void)output_dims;
  return convolve_bytes(input_dims, filter_dims, kWindowsMve);
}

int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  (void)input_dims;
  (void)filter_dims;
  return 0;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims) {
  (void)dw_conv_params;
  (void)input_dims;
  (void)filter_dims;
  (void)output_dims;
  return 0;
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims) {
  return arm_depthwise_conv_wrapper_s16_get_buffer_size(dw_conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims) {
  return arm_depthwise_conv_wrapper_s16_get_buffer_size(dw_conv_params, input_dims, filter_dims, output_dims);
}

int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

int32_t arm_fully_connected_s16_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims) {
  return arm_fully_connected_s16_get_buffer_size(filter_dims);
}

int32_t arm_fully_connected_s16_get_buffer_size_mve(const cmsis_nn_dims *filter_dims) {
  return arm_fully_connected_s16_get_buffer_size(filter_dims);
}

int32_t arm_avgpool_s16_get_buffer_size(const int dim_dst_width, const int ch_src) {
  (void)dim_dst_width;
  (void)ch_src;
  return 0;
}

int32_t arm_avgpool_s16_get_buffer_size_dsp(const int dim_dst_width, const int ch_src) {
  return arm_avgpool_s16_get_buffer_size(dim_dst_width, ch_src);
}

int32_t arm_avgpool_s16_get_buffer_size_mve(const int dim_dst_width, const int ch_src) {
  return arm_avgpool_s16_get_buffer_size(dim_dst_width, ch_src);
}
