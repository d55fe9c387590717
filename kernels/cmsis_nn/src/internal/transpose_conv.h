/* A transposed convolution as convolutions of stride 1: what the implementations do differently in it. */
#ifndef TINSMITH_NN_INTERNAL_TRANSPOSE_CONV_H
#define TINSMITH_NN_INTERNAL_TRANSPOSE_CONV_H

#include <stdint.h>

#include "include/arm_nn_types.h"

/** Channels that are done together, so that room for their weights suffices, and pixels. */
enum { kTransposeConvChannels = 64, kTransposeConvPixels = 24 };

/** What the convolution of some channels multiplies with. */
typedef struct {
  const int8_t *weights;                          /* [channels, kernel.h, kernel.w, kernel.c] */
  const int32_t *bias;                            /* [channels] or NULL; MVE: with the input's offset folded in */
  cmsis_nn_per_channel_quant_params quant_params; /* of the channels */
  int32_t channels;                               /* at most kTransposeConvChannels */
  cmsis_nn_dims kernel;                           /* n is not read */
} tinsmith_transpose_conv_filter;

/**
 * A convolution of one image.
 *
 * @param[in]  params      Stride and dilation 1; padding may be negative.
 * @param[in]  output_dims h and w; c: bytes from pixel to pixel.
 * @param      windows     As long as tinsmith_transpose_conv_s8_get_buffer_size() plans for the longest
 *                         window; at any address.
 */
void tinsmith_transpose_conv_part_s8(const tinsmith_transpose_conv_filter *filter, const cmsis_nn_conv_params *params,
                                     const cmsis_nn_dims *input_dims, const int8_t *input,
                                     const cmsis_nn_dims *output_dims, int8_t *output, void *windows);

#endif /* TINSMITH_NN_INTERNAL_TRANSPOSE_CONV_H */
