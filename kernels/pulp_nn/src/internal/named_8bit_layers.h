// The layers of the older pulp-nn with kappa and lambda, which are arrays of SCALE: int32_t or int64_t.
#ifndef TINSMITH_KERNELS_PULP_NN_NAMED_8BIT_LAYERS_H_
#define TINSMITH_KERNELS_PULP_NN_NAMED_8BIT_LAYERS_H_

#include "named.h"

#define STAGE_U8(SCALE, BIAS, KAPPA, LAMBDA, MULTIPLIER, SHIFT, HAS_RELU, HAS_BATCHNORM)               \
  stage_of_##SCALE(TINSMITH_PULP_TRUNCATE_U8, BIAS, KAPPA, LAMBDA, MULTIPLIER, SHIFT, (HAS_RELU) != 0, \
                   (HAS_BATCHNORM) != 0)

#define CONVOLUTION(NAME, SPLIT, SCALE)                                                                               \
  void NAME(const uint8_t *pInBuffer, uint8_t *pIm2ColBuffer, const int8_t *bias, uint8_t *pOutBuffer,                \
            const int8_t *pWeight, SCALE *k, SCALE *lambda, uint16_t out_mult, uint16_t out_shift, CONVOLUTION_SIZES, \
            int flag_relu, int flag_batch_norm) {                                                                     \
    IGNORE_OTHER_SIDES;                                                                                               \
    const tinsmith_pulp_conv2d_t layer = {                                                                            \
        CONVOLUTION_FIELDS,                                                                                           \
        .input = pInBuffer,                                                                                           \
        .weights = pWeight,                                                                                           \
        .output = pOutBuffer,                                                                                         \
        .scratch = pIm2ColBuffer,                                                                                     \
        .split = SPLIT,                                                                                               \
        .stage = STAGE_U8(SCALE, bias, k, lambda, out_mult, out_shift, flag_relu, flag_batch_norm),                   \
    };                                                                                                                \
    run_conv2d(&layer);                                                                                               \
  }

#define DEPTHWISE(NAME, SCALE)                                                                                   \
  void NAME(const uint8_t *Im_in, uint8_t *bufferC, const int8_t *bias, uint8_t *Im_out, const int8_t *wt,       \
            uint8_t *bufferB, SCALE *k, SCALE *lambda, uint16_t out_mult, uint16_t out_shift, CONVOLUTION_SIZES, \
            int8_t FLAG_RELU, int8_t FLAG_BATCH_NORM) {                                                          \
    (void)bufferB;                                                                                               \
    (void)ch_out;                                                                                                \
    IGNORE_OTHER_SIDES;                                                                                          \
    const tinsmith_pulp_depthwise_t layer =                                                                      \
        {                                                                                                        \
            DEPTHWISE_FIELDS,                                                                                    \
            .input = Im_in,                                                                                      \
            .weights = wt,                                                                                       \
            .output = Im_out,                                                                                    \
            .scratch = bufferC,                                                                                  \
            .stage = STAGE_U8(SCALE, bias, k, lambda, out_mult, out_shift, FLAG_RELU, FLAG_BATCH_NORM),          \
        };                                                                                                       \
    run_depthwise(&layer);                                                                                       \
  }

#define DEPTHWISE_3X3(NAME, SCALE)                                                                                \
  void NAME(uint8_t *In_Img, uint8_t *Out_Img, int R, int C, int CH, int p_l, int p_r, int8_t *Kernel,            \
            int8_t out_shift, uint16_t out_mult, SCALE *kappa, SCALE *lambda, int flag_relu, int flag_batch_norm, \
            unsigned int *memory_chan) {                                                                          \
    const tinsmith_pulp_depthwise_t layer = {                                                                     \
        .input = In_Img,                                                                                          \
        .weights = Kernel,                                                                                        \
        .output = Out_Img,                                                                                        \
        .scratch = (uint8_t *)memory_chan,                                                                        \
        .input_height = (uint16_t)R,                                                                              \
        .input_width = (uint16_t)C,                                                                               \
        .channels = (uint16_t)CH,                                                                                 \
        .output_height = (uint16_t)(R - 2),                                                                       \
        .output_width = (uint16_t)(C + p_l + p_r - 2),                                                            \
        .kernel_height = 3u,                                                                                      \
        .kernel_width = 3u,                                                                                       \
        .pad_left = (uint16_t)p_l,                                                                                \
        .stride_height = 1u,                                                                                      \
        .stride_width = 1u,                                                                                       \
        .input_is_chw = true,                                                                                     \
        .stage = STAGE_U8(SCALE, NULL, kappa, lambda, out_mult, (uint16_t)out_shift, flag_relu, flag_batch_norm), \
    };                                                                                                            \
    run_depthwise(&layer);                                                                                        \
  }

#define LINEAR(NAME, SCALE)                                                                                   \
  void NAME(uint8_t *pInBuffer, int8_t *bias, uint8_t *pOutBuffer, int8_t *pWeights, SCALE *k, SCALE *lambda, \
            uint16_t out_mult, int8_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons, int flag_relu,     \
            int flag_batch_norm) {                                                                            \
    const tinsmith_pulp_linear_t layer = {                                                                    \
        .input = pInBuffer,                                                                                   \
        .weights = pWeights,                                                                                  \
        .output = pOutBuffer,                                                                                 \
        .inputs = dim_vec,                                                                                    \
        .outputs = num_o_neurons,                                                                             \
        .stage = STAGE_U8(SCALE, bias, k, lambda, out_mult, (uint16_t)out_shift, flag_relu, flag_batch_norm), \
    };                                                                                                        \
    run_linear(&layer);                                                                                       \
  }

#define MATMUL(NAME, SCALE)                                                                                        \
  uint8_t *NAME(const int8_t *pWeight, uint8_t *pInBuffer, uint16_t ch_out, uint16_t num_col_im2col,               \
                uint16_t out_shift, uint16_t out_mult, SCALE *k, SCALE *lambda, const int8_t *bias, uint8_t *pOut, \
                uint8_t *pOut2, int flag_relu, int flag_batch_norm) {                                              \
    tinsmith_pulp_conv2d_t layer = {                                                                               \
        .input = pInBuffer,                                                                                        \
        .weights = pWeight,                                                                                        \
        .output = pOut,                                                                                            \
        .stage = STAGE_U8(SCALE, bias, k, lambda, out_mult, out_shift, flag_relu, flag_batch_norm),                \
    };                                                                                                             \
    run_columns(&layer, num_col_im2col, ch_out, pOut2);                                                            \
    return pOut + 2u * ch_out;                                                                                     \
  }

#define LAYERS(SCALE, SUFFIX)                                                             \
  CONVOLUTION(pulp_nn_conv_Ho_parallel##SUFFIX, TINSMITH_PULP_SPLIT_ROWS, SCALE)          \
  CONVOLUTION(pulp_nn_conv_HoWo_parallel##SUFFIX, TINSMITH_PULP_SPLIT_PIXELS, SCALE)      \
  CONVOLUTION(pulp_nn_conv_Co_parallel##SUFFIX, TINSMITH_PULP_SPLIT_CHANNELS, SCALE)      \
  CONVOLUTION(pulp_nn_pointwise_Ho_parallel##SUFFIX, TINSMITH_PULP_SPLIT_ROWS, SCALE)     \
  CONVOLUTION(pulp_nn_pointwise_HoWo_parallel##SUFFIX, TINSMITH_PULP_SPLIT_PIXELS, SCALE) \
  CONVOLUTION(pulp_nn_pointwise_Co_parallel##SUFFIX, TINSMITH_PULP_SPLIT_CHANNELS, SCALE) \
  DEPTHWISE(pulp_nn_depthwise_generic##SUFFIX, SCALE)                                     \
  DEPTHWISE(pulp_nn_depthwise_generic_less_4_weights##SUFFIX, SCALE)                      \
  DEPTHWISE_3X3(pulp_nn_depthwise_3x3_s1##SUFFIX, SCALE)                                  \
  LINEAR(pulp_nn_linear##SUFFIX, SCALE)                                                   \
  MATMUL(pulp_nn_matmul##SUFFIX, SCALE)

#endif  // TINSMITH_KERNELS_PULP_NN_NAMED_8BIT_LAYERS_H_
