// PULP-NN's names: arguments become the structs of tinsmith_pulp_nn.h, and a barrier ends each layer.
#include "include/pulp_nn_kernels.h"

#include <stddef.h>

#include "include/pulp_nn_team.h"

// Macros that paste types into names need the types' properties by name, too.
#define IS_SIGNED_uint8_t false
#define IS_SIGNED_int8_t true
#define KIND_uint8_t TINSMITH_PULP_TRUNCATE_U8
#define KIND_int8_t TINSMITH_PULP_TRUNCATE_S8

static tinsmith_pulp_stage_t stage_of(tinsmith_pulp_stage_kind_t kind, const int8_t *bias, const int32_t *kappa,
                                      const int32_t *lambda, uint16_t multiplier, uint16_t shift, bool has_relu,
                                      bool has_batchnorm) {
  tinsmith_pulp_stage_t stage = {.kind = kind, .bias_s8 = bias, .multiplier = 1, .shift = shift};
  if (has_relu && has_batchnorm) {
    stage.multipliers = kappa;
    stage.addends = lambda;
  } else if (has_relu) {
    stage.multiplier = (int16_t)multiplier;
  }
  return stage;
}

static void convolve(const tinsmith_pulp_conv2d_t *layer) {
  tinsmith_pulp_conv2d(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static void convolve_depthwise(const tinsmith_pulp_depthwise_t *layer) {
  tinsmith_pulp_depthwise(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static void connect(const tinsmith_pulp_linear_t *layer) {
  tinsmith_pulp_linear(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static void add(const tinsmith_pulp_add_t *layer) {
  tinsmith_pulp_add(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

static void pool(const tinsmith_pulp_pool_t *layer) {
  tinsmith_pulp_pool(layer, pulp_nn_team());
  pulp_nn_team_barrier();
}

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

#define CONVOLUTION(NAME, IN, OUT)                                                                                   \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa,             \
            int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y,            \
            uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x,          \
            uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom, uint16_t padding_x_left,       \
            uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y, uint8_t flag_relu,                       \
            uint8_t flag_batchnorm) {                                                                                \
    (void)padding_y_bottom;                                                                                          \
    (void)padding_x_right;                                                                                           \
    const tinsmith_pulp_conv2d_t layer = {                                                                           \
        .input = pIn,                                                                                                \
        .weights = pWeight,                                                                                          \
        .output = pOut,                                                                                              \
        .scratch = pIm2ColBuffer,                                                                                    \
        .input_height = dim_in_y,                                                                                    \
        .input_width = dim_in_x,                                                                                     \
        .input_channels = ch_in,                                                                                     \
        .output_height = dim_out_y,                                                                                  \
        .output_width = dim_out_x,                                                                                   \
        .output_channels = ch_out,                                                                                   \
        .kernel_height = dim_kernel_y,                                                                               \
        .kernel_width = dim_kernel_x,                                                                                \
        .pad_top = padding_y_top,                                                                                    \
        .pad_left = padding_x_left,                                                                                  \
        .stride_height = stride_y,                                                                                   \
        .stride_width = stride_x,                                                                                    \
        .input_is_signed = IS_SIGNED_##IN,                                                                           \
        .stage =                                                                                                     \
            stage_of(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u), \
    };                                                                                                               \
    convolve(&layer);                                                                                                \
  }

#define DEPTHWISE(NAME, IN, OUT)                                                                                     \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int8_t *pWtBuffer,           \
            int32_t *pKappa, int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x,              \
            uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out,              \
            uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom,         \
            uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y,                 \
            uint8_t flag_relu, uint8_t flag_batchnorm) {                                                             \
    (void)pWtBuffer;                                                                                                 \
    (void)ch_out;                                                                                                    \
    (void)padding_y_bottom;                                                                                          \
    (void)padding_x_right;                                                                                           \
    const tinsmith_pulp_depthwise_t layer = {                                                                        \
        .input = pIn,                                                                                                \
        .weights = pWeight,                                                                                          \
        .output = pOut,                                                                                              \
        .scratch = pIm2ColBuffer,                                                                                    \
        .input_height = dim_in_y,                                                                                    \
        .input_width = dim_in_x,                                                                                     \
        .channels = ch_in,                                                                                           \
        .output_height = dim_out_y,                                                                                  \
        .output_width = dim_out_x,                                                                                   \
        .kernel_height = dim_kernel_y,                                                                               \
        .kernel_width = dim_kernel_x,                                                                                \
        .pad_top = padding_y_top,                                                                                    \
        .pad_left = padding_x_left,                                                                                  \
        .stride_height = stride_y,                                                                                   \
        .stride_width = stride_x,                                                                                    \
        .input_is_signed = IS_SIGNED_##IN,                                                                           \
        .input_is_chw = true,                                                                                        \
        .stage =                                                                                                     \
            stage_of(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u), \
    };                                                                                                               \
    convolve_depthwise(&layer);                                                                                      \
  }

#define LINEAR(NAME, IN, OUT)                                                                                          \
  void NAME(IN *pIn, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa, int32_t *pLambda, uint16_t out_mul,   \
            uint16_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons, uint8_t flag_relu, uint8_t flag_batchnorm) { \
    const tinsmith_pulp_linear_t layer = {                                                                             \
        .input = pIn,                                                                                                  \
        .weights = pWeight,                                                                                            \
        .output = pOut,                                                                                                \
        .inputs = dim_vec,                                                                                             \
        .outputs = num_o_neurons,                                                                                      \
        .input_is_signed = IS_SIGNED_##IN,                                                                             \
        .stage =                                                                                                       \
            stage_of(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u),   \
    };                                                                                                                 \
    connect(&layer);                                                                                                   \
  }

// A column is a pixel of a pointwise layer.
#define MATMUL(NAME, IN, OUT)                                                                                        \
  OUT *NAME(IN *pIn, int8_t *pBias, OUT *pOut, OUT *pOut2, int8_t *pWeight, int32_t *pKappa, int32_t *pLambda,       \
            uint16_t out_mul, uint16_t out_shift, uint16_t num_col_im2col, uint16_t ch_out, uint8_t flag_relu,       \
            uint8_t flag_batchnorm) {                                                                                \
    const bool is_contiguous = pOut2 == pOut + ch_out;                                                               \
    tinsmith_pulp_conv2d_t layer = {                                                                                 \
        .input = pIn,                                                                                                \
        .weights = pWeight,                                                                                          \
        .output = pOut,                                                                                              \
        .input_height = 1u,                                                                                          \
        .input_width = is_contiguous ? 2u : 1u,                                                                      \
        .input_channels = num_col_im2col,                                                                            \
        .output_height = 1u,                                                                                         \
        .output_width = is_contiguous ? 2u : 1u,                                                                     \
        .output_channels = ch_out,                                                                                   \
        .kernel_height = 1u,                                                                                         \
        .kernel_width = 1u,                                                                                          \
        .stride_height = 1u,                                                                                         \
        .stride_width = 1u,                                                                                          \
        .input_is_signed = IS_SIGNED_##IN,                                                                           \
        .stage =                                                                                                     \
            stage_of(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u), \
    };                                                                                                               \
    tinsmith_pulp_conv2d(&layer, (tinsmith_pulp_core_t){0u, 1u});                                                    \
    if (!is_contiguous) {                                                                                            \
      layer.input = pIn + num_col_im2col;                                                                            \
      layer.output = pOut2;                                                                                          \
      tinsmith_pulp_conv2d(&layer, (tinsmith_pulp_core_t){0u, 1u});                                                  \
    }                                                                                                                \
    return pOut + 2u * ch_out;                                                                                       \
  }

#define AVERAGE_POOL(NAME, IN, OUT)                                                                                   \
  void NAME(IN *pIn, OUT *pOut, int32_t lambda, uint16_t out_shift, int32_t out_add, uint16_t dim_im_in_x,            \
            uint16_t dim_im_in_y, uint16_t ch_im_in, uint16_t dim_im_out_x, uint16_t dim_im_out_y,                    \
            uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, \
            uint16_t padding_r, uint16_t stride_x, uint16_t stride_y, int flag_requant) {                             \
    (void)padding_b;                                                                                                  \
    (void)padding_r;                                                                                                  \
    const tinsmith_pulp_pool_t layer = {                                                                              \
        .kind = flag_requant != 0 ? TINSMITH_PULP_POOL_AVERAGE_SCALED : TINSMITH_PULP_POOL_AVERAGE_PLAIN,             \
        .input = pIn,                                                                                                 \
        .output = pOut,                                                                                               \
        .input_height = dim_im_in_y,                                                                                  \
        .input_width = dim_im_in_x,                                                                                   \
        .channels = ch_im_in,                                                                                         \
        .output_height = dim_im_out_y,                                                                                \
        .output_width = dim_im_out_x,                                                                                 \
        .kernel_height = dim_kernel_y,                                                                                \
        .kernel_width = dim_kernel_x,                                                                                 \
        .pad_top = padding_t,                                                                                         \
        .pad_left = padding_l,                                                                                        \
        .stride_height = stride_y,                                                                                    \
        .stride_width = stride_x,                                                                                     \
        .input_is_signed = IS_SIGNED_##IN,                                                                            \
        .output_is_signed = IS_SIGNED_##OUT,                                                                          \
        .multiplier = lambda / (dim_kernel_x * dim_kernel_y),                                                         \
        .addend = out_add,                                                                                            \
        .shift = out_shift,                                                                                           \
    };                                                                                                                \
    pool(&layer);                                                                                                     \
  }

#define LAYERS(IN, OUT, TYPES)                         \
  CONVOLUTION(pulp_nn_conv_##TYPES##_i8, IN, OUT)      \
  CONVOLUTION(pulp_nn_pointwise_##TYPES##_i8, IN, OUT) \
  DEPTHWISE(pulp_nn_depthwise_##TYPES##_i8, IN, OUT)   \
  LINEAR(pulp_nn_linear_##TYPES##_i8, IN, OUT)         \
  MATMUL(pulp_nn_matmul_##TYPES##_i8, IN, OUT)         \
  AVERAGE_POOL(pulp_nn_avgpool_##TYPES, IN, OUT)

LAYERS(uint8_t, uint8_t, u8_u8)
LAYERS(uint8_t, int8_t, u8_i8)
LAYERS(int8_t, uint8_t, i8_u8)
LAYERS(int8_t, int8_t, i8_i8)

static void connect_raw(const void *input, bool is_signed, const int8_t *bias, void *output, const int8_t *weights,
                        uint16_t inputs, uint16_t outputs) {
  const tinsmith_pulp_linear_t layer = {
      .input = input,
      .weights = weights,
      .output = output,
      .inputs = inputs,
      .outputs = outputs,
      .input_is_signed = is_signed,
      .stage = {.kind = TINSMITH_PULP_RAW_S32, .bias_s8 = bias},
  };
  connect(&layer);
}

void pulp_nn_linear_u8_i32_i8(uint8_t *pIn, int8_t *pBias, int32_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  connect_raw(pIn, false, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}

void pulp_nn_linear_i8_i32_i8(int8_t *pIn, int8_t *pBias, int8_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  connect_raw(pIn, true, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}

#define MAX_POOL(NAME, TYPE)                                                                                   \
  void NAME(TYPE *pIn, TYPE *pOut, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in,              \
            uint16_t dim_im_out_x, uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,        \
            uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, uint16_t padding_r, uint16_t stride_x, \
            uint16_t stride_y) {                                                                               \
    (void)padding_b;                                                                                           \
    (void)padding_r;                                                                                           \
    const tinsmith_pulp_pool_t layer = {                                                                       \
        .kind = TINSMITH_PULP_POOL_MAX,                                                                        \
        .input = pIn,                                                                                          \
        .output = pOut,                                                                                        \
        .input_height = dim_im_in_y,                                                                           \
        .input_width = dim_im_in_x,                                                                            \
        .channels = ch_im_in,                                                                                  \
        .output_height = dim_im_out_y,                                                                         \
        .output_width = dim_im_out_x,                                                                          \
        .kernel_height = dim_kernel_y,                                                                         \
        .kernel_width = dim_kernel_x,                                                                          \
        .pad_top = padding_t,                                                                                  \
        .pad_left = padding_l,                                                                                 \
        .stride_height = stride_y,                                                                             \
        .stride_width = stride_x,                                                                              \
        .input_is_signed = IS_SIGNED_##TYPE,                                                                   \
        .min = IS_SIGNED_##TYPE ? INT8_MIN : 0,                                                                \
        .max = IS_SIGNED_##TYPE ? INT8_MAX : UINT8_MAX,                                                        \
    };                                                                                                         \
    pool(&layer);                                                                                              \
  }

MAX_POOL(pulp_nn_maxpool_u8, uint8_t)
MAX_POOL(pulp_nn_maxpool_i8, int8_t)

void pulp_nn_add_u8_u8(uint8_t *pIn1, uint8_t *pIn2, uint8_t *pOut, uint16_t out_mult1, uint16_t out_mult2,
                       uint16_t out_shift, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in) {
  const tinsmith_pulp_add_t layer = {
      .kind = TINSMITH_PULP_ADD_WEIGHTED,
      .lhs = pIn1,
      .rhs = pIn2,
      .output = pOut,
      .count = (uint32_t)dim_im_in_x * dim_im_in_y * ch_im_in,
      .lhs_multiplier = (int16_t)out_mult1,
      .rhs_multiplier = (int16_t)out_mult2,
      .output_shift = out_shift,
  };
  add(&layer);
}
