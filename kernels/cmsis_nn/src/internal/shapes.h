/* Which public function a shape belongs to: the wrappers and the size functions must agree on it.
 */
#ifndef TINSMITH_NN_INTERNAL_SHAPES_H
#define TINSMITH_NN_INTERNAL_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "include/arm_nn_types.h"
#include "src/internal/implementation.h"

typedef enum { kConvolution1x1Fast, kConvolution1x1, kConvolution1xN, kConvolutionAny } tinsmith_convolution;

static inline tinsmith_convolution tinsmith_convolution_of(const cmsis_nn_conv_params *params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims) {
  if (filter_dims->c != input_dims->c || params->dilation.w != 1) {
    return kConvolutionAny;
  }
  if (filter_dims->h == 1 && filter_dims->w == 1 && params->padding.h == 0 && params->padding.w == 0 &&
      params->dilation.h == 1) {
    return params->stride.h == 1 && params->stride.w == 1 ? kConvolution1x1Fast : kConvolution1x1;
  }
  if (input_dims->h == 1 && filter_dims->h == 1 && params->stride.w * input_dims->c % 4 == 0) {
    return kConvolution1xN;
  }
  return kConvolutionAny;
}

typedef enum { kDepthwise3x3, kDepthwiseDense, kDepthwiseAny } tinsmith_depthwise;

static inline tinsmith_depthwise tinsmith_depthwise_of(const cmsis_nn_dw_conv_params *params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims) {
  if (params->ch_mult != 1 || input_dims->n != 1 || params->dilation.h != 1 || params->dilation.w != 1) {
    return kDepthwiseAny;
  }
  if (!TINSMITH_NN_MVE && filter_dims->h == 3 && filter_dims->w == 3 && params->padding.h <= 1 &&
      params->padding.w <= 1) {
    return kDepthwise3x3;
  }
  return kDepthwiseDense;
}

#endif /* TINSMITH_NN_INTERNAL_SHAPES_H */
