// Layers with weights by the names of pulp-nn-mixed.
#include "include/pulp_nn_kernels.h"

#include "src/internal/named.h"

#define STAGE(OUT) \
  .stage = stage_of(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u)

#define CONVOLUTION(NAME, IN, OUT)                                                                        \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa,  \
            int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, CONVOLUTION_SIZES, uint8_t flag_relu, \
            uint8_t flag_batchnorm) {                                                                     \
    IGNORE_OTHER_SIDES;                                                                                   \
    const tinsmith_pulp_conv2d_t layer = {                                                                \
        CONVOLUTION_FIELDS,                                                                               \
        .input = pIn,                                                                                     \
        .weights = pWeight,                                                                               \
        .output = pOut,                                                                                   \
        .scratch = pIm2ColBuffer,                                                                         \
        .input_is_signed = IS_SIGNED_##IN,                                                                \
        STAGE(OUT),                                                                                       \
    };                                                                                                    \
    run_conv2d(&layer);                                                                                   \
  }

#define DEPTHWISE(NAME, IN, OUT)                                                                           \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int8_t *pWtBuffer, \
            int32_t *pKappa, int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, CONVOLUTION_SIZES,    \
            uint8_t flag_relu, uint8_t flag_batchnorm) {                                                   \
    (void)pWtBuffer;                                                                                       \
    (void)ch_out;                                                                                          \
    IGNORE_OTHER_SIDES;                                                                                    \
    const tinsmith_pulp_depthwise_t layer = {                                                              \
        DEPTHWISE_FIELDS,                                                                                  \
        .input = pIn,                                                                                      \
        .weights = pWeight,                                                                                \
        .output = pOut,                                                                                    \
        .scratch = pIm2ColBuffer,                                                                          \
        .input_is_signed = IS_SIGNED_##IN,                                                                 \
        STAGE(OUT),                                                                                        \
    };                                                                                                     \
    run_depthwise(&layer);                                                                                 \
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
        STAGE(OUT),                                                                                                    \
    };                                                                                                                 \
    run_linear(&layer);                                                                                                \
  }

#define MATMUL(NAME, IN, OUT)                                                                                  \
  OUT *NAME(IN *pIn, int8_t *pBias, OUT *pOut, OUT *pOut2, int8_t *pWeight, int32_t *pKappa, int32_t *pLambda, \
            uint16_t out_mul, uint16_t out_shift, uint16_t num_col_im2col, uint16_t ch_out, uint8_t flag_relu, \
            uint8_t flag_batchnorm) {                                                                          \
    tinsmith_pulp_conv2d_t layer = {                                                                           \
        .input = pIn,                                                                                          \
        .weights = pWeight,                                                                                    \
        .output = pOut,                                                                                        \
        .input_is_signed = IS_SIGNED_##IN,                                                                     \
        STAGE(OUT),                                                                                            \
    };                                                                                                         \
    run_columns(&layer, num_col_im2col, ch_out, pOut2);                                                        \
    return pOut + 2u * ch_out;                                                                                 \
  }

#define LAYERS(IN, OUT, TYPES)                         \
  CONVOLUTION(pulp_nn_conv_##TYPES##_i8, IN, OUT)      \
  CONVOLUTION(pulp_nn_pointwise_##TYPES##_i8, IN, OUT) \
  DEPTHWISE(pulp_nn_depthwise_##TYPES##_i8, IN, OUT)   \
  LINEAR(pulp_nn_linear_##TYPES##_i8, IN, OUT)         \
  MATMUL(pulp_nn_matmul_##TYPES##_i8, IN, OUT)

LAYERS(uint8_t, uint8_t, u8_u8)
LAYERS(uint8_t, int8_t, u8_i8)
LAYERS(int8_t, uint8_t, i8_u8)
LAYERS(int8_t, int8_t, i8_i8)

static void linear_raw(const void *input, bool is_signed, const void *bias, void *output, const int8_t *weights,
                       uint16_t inputs, uint16_t outputs) {
  const tinsmith_pulp_linear_t layer = {
      .input = input,
      .weights = weights,
      .output = output,
      .inputs = inputs,
      .outputs = outputs,
      .input_is_signed = is_signed,
      .stage = {.kind = TINSMITH_PULP_RAW_S32, .bias = bias},
  };
  run_linear(&layer);
}

void pulp_nn_linear_u8_i32_i8(uint8_t *pIn, int8_t *pBias, int32_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  linear_raw(pIn, false, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}

void pulp_nn_linear_i8_i32_i8(int8_t *pIn, int8_t *pBias, int8_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  linear_raw(pIn, true, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}
