/* What the public functions ask of their arguments, once for all implementations.
 *
 * A program written for Arm's library must find the same here: a member that no line of Arm's function reads may hold
 * anything, so it is not read here either. Where Arm's functions take a member for granted (one batch, no dilation),
 * they are given it by tinsmith_..._params() and tinsmith_..._dims() below.
 */
#ifndef TINSMITH_NN_INTERNAL_ARGUMENTS_H
#define TINSMITH_NN_INTERNAL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "include/arm_nn_types.h"

/* ---- Convolution ------------------------------------------------------------------------------------------------ */

static inline arm_cmsis_nn_status tinsmith_check_convolve(const cmsis_nn_context *ctx, const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *upscale_dims,
                                                          const cmsis_nn_dims *output_dims) {
  if (upscale_dims != NULL && (upscale_dims->h == 2 || upscale_dims->w == 2)) {
    return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
  if (ctx->buf == NULL || filter_dims->c < 1 || input_dims->c < 1 || input_dims->c % filter_dims->c != 0 ||
      output_dims->c % (input_dims->c / filter_dims->c) != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** 1x1 filters of any stride; of filter_dims nothing is read. */
static inline arm_cmsis_nn_status tinsmith_check_convolve_1x1(const cmsis_nn_conv_params *params) {
  return params->padding.h != 0 || params->padding.w != 0 ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
}

static inline arm_cmsis_nn_status tinsmith_check_convolve_1x1_fast(const cmsis_nn_conv_params *params) {
  if (params->stride.h != 1 || params->stride.w != 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return tinsmith_check_convolve_1x1(params);
}

static inline arm_cmsis_nn_status tinsmith_check_convolve_1_x_n(const cmsis_nn_context *ctx,
                                                                const cmsis_nn_conv_params *params,
                                                                const cmsis_nn_dims *input_dims) {
  if (input_dims->h != 1 || params->dilation.w != 1 || ctx->buf == NULL || params->stride.w == 0 ||
      params->stride.w * input_dims->c % 4 != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** The parameters of a 1x1 convolution: a single tap has no dilation. */
static inline cmsis_nn_conv_params tinsmith_1x1_params(const cmsis_nn_conv_params *params) {
  return (cmsis_nn_conv_params){
      .input_offset = params->input_offset,
      .output_offset = params->output_offset,
      .stride = params->stride,
      .dilation = {1, 1},
      .activation = params->activation,
  };
}

/** The filter of a 1x1 convolution. */
static inline cmsis_nn_dims tinsmith_1x1_filter_dims(const cmsis_nn_dims *input_dims,
                                                     const cmsis_nn_dims *output_dims) {
  return (cmsis_nn_dims){.n = output_dims->c, .h = 1, .w = 1, .c = input_dims->c};
}

/** The output of a 1x1 convolution of stride 1. */
static inline cmsis_nn_dims tinsmith_1x1_fast_output_dims(const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *output_dims) {
  return (cmsis_nn_dims){.n = input_dims->n, .h = input_dims->h, .w = input_dims->w, .c = output_dims->c};
}

/** Weights arranged ahead of time. in_place: whether no scratch is needed. */
static inline arm_cmsis_nn_status tinsmith_check_convolve_packed(const cmsis_nn_context *ctx, bool in_place,
                                                                 const cmsis_nn_dims *input_dims,
                                                                 const cmsis_nn_dims *filter_dims,
                                                                 const cmsis_nn_dims *output_dims) {
  if ((ctx->buf == NULL && !in_place) || filter_dims->c != input_dims->c || filter_dims->n != output_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/* ---- Depthwise convolution -------------------------------------------------------------------------------------- */

static inline bool tinsmith_is_undilated(const cmsis_nn_dw_conv_params *params) {
  return params->dilation.h == 1 && params->dilation.w == 1;
}

static inline arm_cmsis_nn_status tinsmith_check_depthwise(const cmsis_nn_dw_conv_params *params) {
  return params->ch_mult < 1 ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
}

/** One output per channel. */
static inline arm_cmsis_nn_status tinsmith_check_depthwise_opt(const cmsis_nn_dims *input_dims,
                                                               const cmsis_nn_dims *output_dims) {
  return input_dims->c != output_dims->c ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
}

static inline arm_cmsis_nn_status tinsmith_check_depthwise_3x3(const cmsis_nn_dw_conv_params *params,
                                                               const cmsis_nn_dims *input_dims,
                                                               const cmsis_nn_dims *filter_dims,
                                                               const cmsis_nn_dims *output_dims) {
  if (params->padding.w > 1 || filter_dims->h != 3 || filter_dims->w != 3) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return tinsmith_check_depthwise_opt(input_dims, output_dims);
}

/** The parameters of the functions for one output per channel: no multiplier, no dilation. */
static inline cmsis_nn_dw_conv_params tinsmith_depthwise_opt_params(const cmsis_nn_dw_conv_params *params) {
  return (cmsis_nn_dw_conv_params){
      .input_offset = params->input_offset,
      .output_offset = params->output_offset,
      .ch_mult = 1,
      .stride = params->stride,
      .padding = params->padding,
      .dilation = {1, 1},
      .activation = params->activation,
  };
}

/** Their input: one image. */
static inline cmsis_nn_dims tinsmith_one_image(const cmsis_nn_dims *input_dims) {
  return (cmsis_nn_dims){.n = 1, .h = input_dims->h, .w = input_dims->w, .c = input_dims->c};
}

/** Weights arranged ahead of time. least_channels: as few as the implementation can do. */
static inline arm_cmsis_nn_status tinsmith_check_depthwise_packed(const cmsis_nn_context *ctx,
                                                                  const cmsis_nn_dw_conv_params *params,
                                                                  int32_t least_channels, int32_t multiplier,
                                                                  const cmsis_nn_dims *input_dims,
                                                                  const cmsis_nn_dims *output_dims) {
  if (ctx->buf == NULL || input_dims->c < least_channels || multiplier < 1 || params->ch_mult != multiplier ||
      output_dims->c != input_dims->c * multiplier || !tinsmith_is_undilated(params)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** Pixel by pixel, of any dilation; least_channels: as few as the implementation can do. */
static inline arm_cmsis_nn_status tinsmith_check_depthwise_pixels(const cmsis_nn_context *ctx,
                                                                  const cmsis_nn_dw_conv_params *params,
                                                                  int32_t least_channels,
                                                                  const cmsis_nn_dims *input_dims,
                                                                  const cmsis_nn_dims *output_dims) {
  if (ctx->buf == NULL || input_dims->c < least_channels || params->ch_mult != 1 || output_dims->c != input_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/* ---- Fully connected -------------------------------------------------------------------------------------------- */

/** Weights arranged ahead of time. */
static inline arm_cmsis_nn_status tinsmith_check_fully_connected_packed(const cmsis_nn_fc_params *params,
                                                                        const cmsis_nn_dims *filter_dims,
                                                                        const cmsis_nn_dims *output_dims) {
  return params->filter_offset != 0 || filter_dims->c != output_dims->c ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_INTERNAL_ARGUMENTS_H */
