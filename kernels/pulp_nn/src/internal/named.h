// What the functions by PULP-NN's names have in common: their arguments as the structs of tinsmith_pulp_nn.h, and a
// layer on the calling team with the barrier behind it. The macros take sizes from arguments of PULP-NN's usual names.
#ifndef TINSMITH_KERNELS_PULP_NN_NAMED_H_
#define TINSMITH_KERNELS_PULP_NN_NAMED_H_

#include <stddef.h>

#include "pulp_nn_team.h"

// Named by the type of kappa and lambda, for macros.
static inline tinsmith_pulp_stage_t stage_of_int32_t(tinsmith_pulp_stage_kind_t kind, const int8_t *bias,
                                                     const int32_t *kappa, const int32_t *lambda, uint16_t multiplier,
                                                     uint16_t shift, bool has_relu, bool has_batchnorm) {
  tinsmith_pulp_stage_t stage = {.kind = kind, .bias_s8 = bias, .multiplier = 1, .shift = shift};
  if (has_relu && has_batchnorm) {
    stage.multipliers = kappa;
    stage.addends = lambda;
  } else if (has_relu) {
    stage.multiplier = (int16_t)multiplier;
  }
  return stage;
}

static inline tinsmith_pulp_stage_t stage_of_int64_t(tinsmith_pulp_stage_kind_t kind, const int8_t *bias,
                                                     const int64_t *kappa, const int64_t *lambda, uint16_t multiplier,
                                                     uint16_t shift, bool has_relu, bool has_batchnorm) {
  tinsmith_pulp_stage_t stage = stage_of_int32_t(kind, bias, NULL, NULL, multiplier, shift, has_relu, false);
  if (has_relu && has_batchnorm) {
    stage.kind = kind == TINSMITH_PULP_TRUNCATE_U8 ? TINSMITH_PULP_TRUNCATE_WIDE_U8 : TINSMITH_PULP_TRUNCATE_WIDE_S8;
    stage.wide_multipliers = kappa;
    stage.wide_addends = lambda;
  }
  return stage;
}

static inline void run_conv2d(const tinsmith_pulp_conv2d_t *layer) {
  tinsmith_pulp_conv2d(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static inline void run_depthwise(const tinsmith_pulp_depthwise_t *layer) {
  tinsmith_pulp_depthwise(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static inline void run_linear(const tinsmith_pulp_linear_t *layer) {
  tinsmith_pulp_linear(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static inline void run_add(const tinsmith_pulp_add_t *layer) {
  tinsmith_pulp_add(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static inline void run_pool(const tinsmith_pulp_pool_t *layer) {
  tinsmith_pulp_pool(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

// Two columns, each a pixel of a pointwise layer; `layer` has the first one's addresses. On the calling core alone.
static inline void run_columns(tinsmith_pulp_conv2d_t *layer, uint16_t columns, uint16_t channels, void *second) {
  const bool is_contiguous = (uint8_t *)second == (uint8_t *)layer->output + channels;
  layer->input_channels = columns;
  layer->output_channels = channels;
  layer->input_height = layer->output_height = 1u;
  layer->input_width = layer->output_width = is_contiguous ? 2u : 1u;
  layer->kernel_height = layer->kernel_width = layer->stride_height = layer->stride_width = 1u;
  tinsmith_pulp_conv2d(layer, (tinsmith_pulp_core_t){0u, 1u});
  if (!is_contiguous) {
    layer->input = (const uint8_t *)layer->input + columns;
    layer->output = second;
    tinsmith_pulp_conv2d(layer, (tinsmith_pulp_core_t){0u, 1u});
  }
}

// Arguments of convolutions, and what a struct takes from them.
#define CONVOLUTION_SIZES                                                                                        \
  uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out, \
      uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom,           \
      uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y

#define PLANE_FIELDS                                                                                        \
  .input_height = dim_in_y, .input_width = dim_in_x, .output_height = dim_out_y, .output_width = dim_out_x, \
  .kernel_height = dim_kernel_y, .kernel_width = dim_kernel_x, .stride_height = stride_y, .stride_width = stride_x

#define CONVOLUTION_FIELDS \
  PLANE_FIELDS, .input_channels = ch_in, .output_channels = ch_out, .pad_top = padding_y_top, .pad_left = padding_x_left

#define DEPTHWISE_FIELDS \
  PLANE_FIELDS, .channels = ch_in, .pad_top = padding_y_top, .pad_left = padding_x_left, .input_is_chw = true

// The output's size says what bottom and right padding do.
#define IGNORE_OTHER_SIDES  \
  do {                      \
    (void)padding_y_bottom; \
    (void)padding_x_right;  \
  } while (false)

#define POOL_SIZES                                                                                                     \
  uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t dim_kernel_x, \
      uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom, uint16_t padding_x_left,               \
      uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y

#define POOL_FIELDS PLANE_FIELDS, .channels = ch_in, .pad_top = padding_y_top, .pad_left = padding_x_left

// Macros that paste types into names need the types' properties by name, too.
#define IS_SIGNED_uint8_t false
#define IS_SIGNED_int8_t true
#define KIND_uint8_t TINSMITH_PULP_TRUNCATE_U8
#define KIND_int8_t TINSMITH_PULP_TRUNCATE_S8

#endif  // TINSMITH_KERNELS_PULP_NN_NAMED_H_
