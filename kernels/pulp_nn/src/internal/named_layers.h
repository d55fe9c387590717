// The layers of pulp-nn-mixed with kappa and lambda, which are arrays of SCALE: int32_t or int64_t.
#ifndef TINSMITH_KERNELS_PULP_NN_NAMED_LAYERS_H_
#define TINSMITH_KERNELS_PULP_NN_NAMED_LAYERS_H_

#include "named.h"

#define STAGE(OUT, SCALE) \
  .stage =                \
      stage_of_##SCALE(KIND_##OUT, pBias, pKappa, pLambda, out_mul, out_shift, flag_relu != 0u, flag_batchnorm != 0u)

#define CONVOLUTION(NAME, IN, OUT, SCALE)                                                                              \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, SCALE *pKappa, SCALE *pLambda, \
            uint16_t out_mul, uint16_t out_shift, CONVOLUTION_SIZES, uint8_t flag_relu, uint8_t flag_batchnorm) {      \
    IGNORE_OTHER_SIDES;                                                                                                \
    const tinsmith_pulp_conv2d_t layer = {                                                                             \
        CONVOLUTION_FIELDS,       .input = pIn,                                                                        \
        .weights = pWeight,       .output = pOut,                                                                      \
        .scratch = pIm2ColBuffer, .input_is_signed = IS_SIGNED_##IN,                                                   \
        STAGE(OUT, SCALE),                                                                                             \
    };                                                                                                                 \
    run_conv2d(&layer);                                                                                                \
  }

#define DEPTHWISE(NAME, IN, OUT, SCALE)                                                                                \
  void NAME(IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int8_t *pWtBuffer,             \
            SCALE *pKappa, SCALE *pLambda, uint16_t out_mul, uint16_t out_shift, CONVOLUTION_SIZES, uint8_t flag_relu, \
            uint8_t flag_batchnorm) {                                                                                  \
    (void)pWtBuffer;                                                                                                   \
    (void)ch_out;                                                                                                      \
    IGNORE_OTHER_SIDES;                                                                                                \
    const tinsmith_pulp_depthwise_t layer = {                                                                          \
        DEPTHWISE_FIELDS,         .input = pIn,                                                                        \
        .weights = pWeight,       .output = pOut,                                                                      \
        .scratch = pIm2ColBuffer, .input_is_signed = IS_SIGNED_##IN,                                                   \
        STAGE(OUT, SCALE),                                                                                             \
    };                                                                                                                 \
    run_depthwise(&layer);                                                                                             \
  }

#define LINEAR(NAME, IN, OUT, SCALE)                                                                                   \
  void NAME(IN *pIn, int8_t *pBias, OUT *pOut, int8_t *pWeight, SCALE *pKappa, SCALE *pLambda, uint16_t out_mul,       \
            uint16_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons, uint8_t flag_relu, uint8_t flag_batchnorm) { \
    const tinsmith_pulp_linear_t layer = {                                                                             \
        .input = pIn,                                                                                                  \
        .weights = pWeight,                                                                                            \
        .output = pOut,                                                                                                \
        .inputs = dim_vec,                                                                                             \
        .outputs = num_o_neurons,                                                                                      \
        .input_is_signed = IS_SIGNED_##IN,                                                                             \
        STAGE(OUT, SCALE),                                                                                             \
    };                                                                                                                 \
    run_linear(&layer);                                                                                                \
  }

#define MATMUL(NAME, IN, OUT, SCALE)                                                                           \
  OUT *NAME(IN *pIn, int8_t *pBias, OUT *pOut, OUT *pOut2, int8_t *pWeight, SCALE *pKappa, SCALE *pLambda,     \
            uint16_t out_mul, uint16_t out_shift, uint16_t num_col_im2col, uint16_t ch_out, uint8_t flag_relu, \
            uint8_t flag_batchnorm) {                                                                          \
    tinsmith_pulp_conv2d_t layer = {                                                                           \
        .input = pIn,                                                                                          \
        .weights = pWeight,                                                                                    \
        .output = pOut,                                                                                        \
        .input_is_signed = IS_SIGNED_##IN,                                                                     \
        STAGE(OUT, SCALE),                                                                                     \
    };                                                                                                         \
    run_columns(&layer, num_col_im2col, ch_out, pOut2);                                                        \
    return pOut + 2u * ch_out;                                                                                 \
  }

#define LAYERS(IN, OUT, TYPES, SCALE, SUFFIX)                         \
  CONVOLUTION(pulp_nn_conv_##TYPES##_i8##SUFFIX, IN, OUT, SCALE)      \
  CONVOLUTION(pulp_nn_pointwise_##TYPES##_i8##SUFFIX, IN, OUT, SCALE) \
  DEPTHWISE(pulp_nn_depthwise_##TYPES##_i8##SUFFIX, IN, OUT, SCALE)   \
  LINEAR(pulp_nn_linear_##TYPES##_i8##SUFFIX, IN, OUT, SCALE)         \
  MATMUL(pulp_nn_matmul_##TYPES##_i8##SUFFIX, IN, OUT, SCALE)

#endif  // TINSMITH_KERNELS_PULP_NN_NAMED_LAYERS_H_
