/* The layers of pulp_nn_kernels.h and pulp_nn_8bit_kernels.h with kappa and lambda of 64 bits, as in the 64bit folders
 * of pulp-nn-mixed and pulp-nn. Ours have names that end in _64, so that a program may use both; PULP-NN has one name
 * for both: with PULP_NN_64_BY_ORIGINAL_NAMES defined, the names without _64 call these.
 *
 * What is different: with both flags, a result is clip((pKappa[c] * acc + pLambda[c]) >> out_shift) with a product and
 * a sum of 64 bits, out_shift in [0, 63]. PULP-NN clips the low 32 bits of what is shifted, here all 64 are clipped.
 * Sums and averages, of which PULP-NN has 64-bit variants, too, are those of the headers above: of 32 bits.
 */
#ifndef PULP_NN_KERNELS_64_H_
#define PULP_NN_KERNELS_64_H_

#include <stdint.h>

#include "pulp_nn_8bit_kernels.h"
#include "pulp_nn_kernels.h"

#define PULP_NN_DECLARE_LAYERS(IN, OUT, TYPES)                                                                         \
  void pulp_nn_conv_##TYPES##_i8_64(                                                                                   \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int64_t *pKappa, int64_t *pLambda,   \
      uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x,  \
      uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,       \
      uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x,                 \
      uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                                                   \
  void pulp_nn_pointwise_##TYPES##_i8_64(                                                                              \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int64_t *pKappa, int64_t *pLambda,   \
      uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x,  \
      uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,       \
      uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x,                 \
      uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                                                   \
  void pulp_nn_depthwise_##TYPES##_i8_64(                                                                              \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int8_t *pWtBuffer, int64_t *pKappa,  \
      int64_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in,    \
      uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y,           \
      uint16_t padding_y_top, uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right,            \
      uint16_t stride_x, uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                                \
  void pulp_nn_linear_##TYPES##_i8_64(IN *pIn, int8_t *pBias, OUT *pOut, int8_t *pWeight, int64_t *pKappa,             \
                                      int64_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_vec,        \
                                      uint16_t num_o_neurons, uint8_t flag_relu, uint8_t flag_batchnorm);              \
  /** Two columns on the calling core alone, without a barrier; returns pOut + 2 * ch_out. */                          \
  OUT *pulp_nn_matmul_##TYPES##_i8_64(IN *pIn, int8_t *pBias, OUT *pOut, OUT *pOut2, int8_t *pWeight, int64_t *pKappa, \
                                      int64_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t num_col_im2col, \
                                      uint16_t ch_out, uint8_t flag_relu, uint8_t flag_batchnorm);

PULP_NN_DECLARE_LAYERS(uint8_t, uint8_t, u8_u8)
PULP_NN_DECLARE_LAYERS(uint8_t, int8_t, u8_i8)
PULP_NN_DECLARE_LAYERS(int8_t, uint8_t, i8_u8)
PULP_NN_DECLARE_LAYERS(int8_t, int8_t, i8_i8)

#undef PULP_NN_DECLARE_LAYERS

#define PULP_NN_DECLARE_CONVOLUTION(NAME)                                                                    \
  void NAME(const uint8_t *pInBuffer, uint8_t *pIm2ColBuffer, const int8_t *bias, uint8_t *pOutBuffer,       \
            const int8_t *pWeight, int64_t *k, int64_t *lambda, uint16_t out_mult, uint16_t out_shift,       \
            uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y,    \
            uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,           \
            uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, \
            uint16_t stride_y, int flag_relu, int flag_batch_norm);

PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_Ho_parallel_64)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_HoWo_parallel_64)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_Co_parallel_64)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_Ho_parallel_64)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_HoWo_parallel_64)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_Co_parallel_64)

#undef PULP_NN_DECLARE_CONVOLUTION

#define PULP_NN_DECLARE_DEPTHWISE(NAME)                                                                                \
  void NAME(const uint8_t *Im_in, uint8_t *bufferC, const int8_t *bias, uint8_t *Im_out, const int8_t *wt,             \
            uint8_t *bufferB, int64_t *k, int64_t *lambda, uint16_t out_mult, uint16_t out_shift, uint16_t dim_in_x,   \
            uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out,                \
            uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom,           \
            uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y, int8_t FLAG_RELU, \
            int8_t FLAG_BATCH_NORM);

PULP_NN_DECLARE_DEPTHWISE(pulp_nn_depthwise_generic_64)
PULP_NN_DECLARE_DEPTHWISE(pulp_nn_depthwise_generic_less_4_weights_64)

#undef PULP_NN_DECLARE_DEPTHWISE

void pulp_nn_depthwise_3x3_s1_64(uint8_t *In_Img, uint8_t *Out_Img, int R, int C, int CH, int p_l, int p_r,
                                 int8_t *Kernel, int8_t out_shift, uint16_t out_mult, int64_t *kappa, int64_t *lambda,
                                 int flag_relu, int flag_batch_norm, unsigned int *memory_chan);

void pulp_nn_linear_64(uint8_t *pInBuffer, int8_t *bias, uint8_t *pOutBuffer, int8_t *pWeights, int64_t *k,
                       int64_t *lambda, uint16_t out_mult, int8_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons,
                       int flag_relu, int flag_batch_norm);

uint8_t *pulp_nn_matmul_64(const int8_t *pWeight, uint8_t *pInBuffer, uint16_t ch_out, uint16_t num_col_im2col,
                           uint16_t out_shift, uint16_t out_mult, int64_t *k, int64_t *lambda, const int8_t *bias,
                           uint8_t *pOut, uint8_t *pOut2, int flag_relu, int flag_batch_norm);

#if defined(PULP_NN_64_BY_ORIGINAL_NAMES)
#define pulp_nn_conv_u8_u8_i8 pulp_nn_conv_u8_u8_i8_64
#define pulp_nn_conv_u8_i8_i8 pulp_nn_conv_u8_i8_i8_64
#define pulp_nn_conv_i8_u8_i8 pulp_nn_conv_i8_u8_i8_64
#define pulp_nn_conv_i8_i8_i8 pulp_nn_conv_i8_i8_i8_64
#define pulp_nn_pointwise_u8_u8_i8 pulp_nn_pointwise_u8_u8_i8_64
#define pulp_nn_pointwise_u8_i8_i8 pulp_nn_pointwise_u8_i8_i8_64
#define pulp_nn_pointwise_i8_u8_i8 pulp_nn_pointwise_i8_u8_i8_64
#define pulp_nn_pointwise_i8_i8_i8 pulp_nn_pointwise_i8_i8_i8_64
#define pulp_nn_depthwise_u8_u8_i8 pulp_nn_depthwise_u8_u8_i8_64
#define pulp_nn_depthwise_u8_i8_i8 pulp_nn_depthwise_u8_i8_i8_64
#define pulp_nn_depthwise_i8_u8_i8 pulp_nn_depthwise_i8_u8_i8_64
#define pulp_nn_depthwise_i8_i8_i8 pulp_nn_depthwise_i8_i8_i8_64
#define pulp_nn_linear_u8_u8_i8 pulp_nn_linear_u8_u8_i8_64
#define pulp_nn_linear_u8_i8_i8 pulp_nn_linear_u8_i8_i8_64
#define pulp_nn_linear_i8_u8_i8 pulp_nn_linear_i8_u8_i8_64
#define pulp_nn_linear_i8_i8_i8 pulp_nn_linear_i8_i8_i8_64
#define pulp_nn_matmul_u8_u8_i8 pulp_nn_matmul_u8_u8_i8_64
#define pulp_nn_matmul_u8_i8_i8 pulp_nn_matmul_u8_i8_i8_64
#define pulp_nn_matmul_i8_u8_i8 pulp_nn_matmul_i8_u8_i8_64
#define pulp_nn_matmul_i8_i8_i8 pulp_nn_matmul_i8_i8_i8_64
#define pulp_nn_conv_Ho_parallel pulp_nn_conv_Ho_parallel_64
#define pulp_nn_conv_HoWo_parallel pulp_nn_conv_HoWo_parallel_64
#define pulp_nn_conv_Co_parallel pulp_nn_conv_Co_parallel_64
#define pulp_nn_pointwise_Ho_parallel pulp_nn_pointwise_Ho_parallel_64
#define pulp_nn_pointwise_HoWo_parallel pulp_nn_pointwise_HoWo_parallel_64
#define pulp_nn_pointwise_Co_parallel pulp_nn_pointwise_Co_parallel_64
#define pulp_nn_depthwise_generic pulp_nn_depthwise_generic_64
#define pulp_nn_depthwise_generic_less_4_weights pulp_nn_depthwise_generic_less_4_weights_64
#define pulp_nn_depthwise_3x3_s1 pulp_nn_depthwise_3x3_s1_64
#define pulp_nn_linear pulp_nn_linear_64
#define pulp_nn_matmul pulp_nn_matmul_64
#endif

#endif /* PULP_NN_KERNELS_64_H_ */
