/* Scratch of the MVE implementation. Compiled for every core: host tools plan for Cortex-M55 with these. */
#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/shapes.h"
#include "src/mve/scratch.h"

int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  switch (tinsmith_convolution_of(conv_params, input_dims, filter_dims)) {
    case kConvolution1x1Fast:
    case kConvolution1x1:
      return 0;
    default:
      return mve_convolve_bytes(input_dims, filter_dims);
  }
}

int32_t tinsmith_convolve_packed_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims) {
  return mve_convolve_packed_bytes(conv_params, input_dims, filter_dims, output_dims);
}

int32_t tinsmith_depthwise_packed_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims) {
  const mve_axes axes = mve_depthwise_axes(dw_conv_params, input_dims, filter_dims, output_dims);
  return mve_depthwise_bytes(&axes);
}

int32_t tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_dims *input_dims,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const cmsis_nn_dims *output_dims) {
  const mve_axes axes = mve_3x3_axes(dw_conv_params, input_dims, filter_dims, output_dims);
  return mve_3x3_bytes(&axes);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims) {
  if (input_dims->c != output_dims->c || input_dims->n != 1 || !tinsmith_is_undilated(dw_conv_params)) {
    return 0;
  }
  return mve_public_depthwise_bytes(input_dims, filter_dims);
}

/* Not scratch: the effective bias that arm_vector_sum_s8() makes. */
int32_t arm_fully_connected_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims) {
  return 4 * filter_dims->c;
}

int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

int32_t arm_avgpool_s8_get_buffer_size_mve(const int dim_dst_width, const int ch_src) {
  (void)dim_dst_width;
  (void)ch_src;
  return 0;
}

int32_t tinsmith_convolve_packed_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims) {
  const bool in_place = mve_fields_in_place(conv_params, input_dims, filter_dims, output_dims);
  return mve_widened_bytes(filter_dims) + (in_place ? 0 : mve_fields_bytes(filter_dims));
}
