// Sizes of PULP-NN's buffers.
#include "pulp_nn_buffers.h"

#include "tinsmith_pulp_nn.h"

uint32_t pulp_nn_conv_buffer_bytes(uint16_t ch_in, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint32_t cores) {
  // A stride that no layer has keeps a pointwise layer from being told that it needs no buffer.
  const tinsmith_pulp_conv2d_t layer = {
      .input_channels = ch_in, .kernel_height = dim_kernel_y, .kernel_width = dim_kernel_x, .stride_height = 2u};
  return tinsmith_pulp_conv2d_scratch_bytes(&layer, cores);
}

uint32_t pulp_nn_depthwise_buffer_bytes(uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x,
                                        uint16_t dim_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,
                                        uint16_t stride_x, uint16_t stride_y, uint32_t cores) {
  const tinsmith_pulp_depthwise_t layer = {
      .input_height = dim_in_y,
      .input_width = dim_in_x,
      .channels = ch_in,
      .output_height = dim_out_y,
      .output_width = dim_out_x,
      .kernel_height = dim_kernel_y,
      .kernel_width = dim_kernel_x,
      .stride_height = stride_y,
      .stride_width = stride_x,
      .input_is_chw = true,
  };
  return tinsmith_pulp_depthwise_scratch_bytes(&layer, cores);
}
