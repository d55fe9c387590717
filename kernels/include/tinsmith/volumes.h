// Convolutions over volumes. Activations are NDHWC, weights DHWIO; there is no padding in memory: taps outside of the
// input count as zero.
#ifndef TINSMITH_VOLUMES_H_
#define TINSMITH_VOLUMES_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_conv3d_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv3d_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Geometry of a three-dimensional convolution. Every size is at least 1, every product of sizes of one tensor is below
 * 2**31.
 */
typedef struct {
  int32_t batches;
  int32_t input_depth;
  int32_t input_height;
  int32_t input_width;
  int32_t input_channels;
  int32_t output_depth;
  int32_t output_height;
  int32_t output_width;
  int32_t output_channels;
  int32_t kernel_depth;
  int32_t kernel_height;
  int32_t kernel_width;
  int32_t stride_depth;
  int32_t stride_height;
  int32_t stride_width;
  int32_t dilation_depth;
  int32_t dilation_height;
  int32_t dilation_width;
  int32_t padding_front;
  int32_t padding_top;
  int32_t padding_left;
} tinsmith_conv3d_shape;

/**
 * Convolution of float: products are added in the order (kz, ky, kx, channel), then the bias, without fused operations.
 *
 * @param[in] shape   geometry
 * @param[in] clamp   smallest and largest result
 * @param[in] input   (batches, input_depth, input_height, input_width, input_channels)
 * @param[in] weights (kernel_depth, kernel_height, kernel_width, input_channels, output_channels)
 * @param[in] bias    (output_channels), or NULL for zeros
 * @param[out] output (batches, output_depth, output_height, output_width, output_channels); does not overlap the input
 */
void tinsmith_conv3d_f32(const tinsmith_conv3d_shape *shape, const tinsmith_clamp_f32 *clamp, const float *input,
                         const float *weights, const float *bias, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_VOLUMES_H_
