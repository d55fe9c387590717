/* The 8-bit kernels behind the names, argument orders and layouts of pulp-nn-mixed (University of Bologna and ETH
 * Zurich), written from scratch. Names end in the types of input, output and weights.
 *
 * All cores of a team call with the same arguments and leave together, after a barrier (pulp_nn_team.h). Weights are
 * [Cout][Ky][Kx][Cin], for depthwise [C][Ky][Kx]; activations HWC, the input of depthwise CHW. Results:
 *     flag_batchnorm and flag_relu   clip((pKappa[c] * acc + pLambda[c]) >> out_shift)
 *     flag_relu alone                clip((out_mul * acc) >> out_shift), out_mul an int16
 *     neither                        clip(acc >> out_shift)
 * acc = pBias[c] + sum, wrapping at 32 bits, shifts truncate. Where PULP-NN contradicts itself, this is what we do:
 * pBias is int8 (PULP-NN reads int32 in its 4 x 2 loop, int8 elsewhere; its users pass NULL), but int32 where outputs
 * are; signed inputs are signed in every corner, sums of them divide towards 0; weighted sums below 0 become 0; any
 * number of cores; left padding is the left's; max pooling leaves its input as it was. pIm2ColBuffer:
 * pulp_nn_buffers.h.
 */
#ifndef PULP_NN_KERNELS_H_
#define PULP_NN_KERNELS_H_

#include <stdint.h>

#include "pulp_nn_buffers.h"

#define PULP_NN_DECLARE_LAYERS(IN, OUT, TYPES)                                                                        \
  void pulp_nn_conv_##TYPES##_i8(                                                                                     \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa, int32_t *pLambda,  \
      uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, \
      uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,      \
      uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x,                \
      uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                                                  \
  void pulp_nn_pointwise_##TYPES##_i8(                                                                                \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa, int32_t *pLambda,  \
      uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, \
      uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,      \
      uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x,                \
      uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                                                  \
  void pulp_nn_depthwise_##TYPES##_i8(                                                                                \
      IN *pIn, uint8_t *pIm2ColBuffer, int8_t *pBias, OUT *pOut, int8_t *pWeight, int8_t *pWtBuffer, int32_t *pKappa, \
      int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in,   \
      uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y,          \
      uint16_t padding_y_top, uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right,           \
      uint16_t stride_x, uint16_t stride_y, uint8_t flag_relu, uint8_t flag_batchnorm);                               \
  void pulp_nn_linear_##TYPES##_i8(IN *pIn, int8_t *pBias, OUT *pOut, int8_t *pWeight, int32_t *pKappa,               \
                                   int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t dim_vec,          \
                                   uint16_t num_o_neurons, uint8_t flag_relu, uint8_t flag_batchnorm);                \
  /** Two columns on the calling core alone, without a barrier; returns pOut + 2 * ch_out. */                         \
  OUT *pulp_nn_matmul_##TYPES##_i8(IN *pIn, int8_t *pBias, OUT *pOut, OUT *pOut2, int8_t *pWeight, int32_t *pKappa,   \
                                   int32_t *pLambda, uint16_t out_mul, uint16_t out_shift, uint16_t num_col_im2col,   \
                                   uint16_t ch_out, uint8_t flag_relu, uint8_t flag_batchnorm);                       \
  /** clip((sum * (lambda / (dim_kernel_x * dim_kernel_y)) + out_add) >> out_shift), without flag_requant             \
   * clip(sum / (dim_kernel_x * dim_kernel_y)); padding counts in the divisor only. */                                \
  void pulp_nn_avgpool_##TYPES(IN *pIn, OUT *pOut, int32_t lambda, uint16_t out_shift, int32_t out_add,               \
                               uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in, uint16_t dim_im_out_x,  \
                               uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,                   \
                               uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, uint16_t padding_r,        \
                               uint16_t stride_x, uint16_t stride_y, int flag_requant);

PULP_NN_DECLARE_LAYERS(uint8_t, uint8_t, u8_u8)
PULP_NN_DECLARE_LAYERS(uint8_t, int8_t, u8_i8)
PULP_NN_DECLARE_LAYERS(int8_t, uint8_t, i8_u8)
PULP_NN_DECLARE_LAYERS(int8_t, int8_t, i8_i8)

#undef PULP_NN_DECLARE_LAYERS

/** Sums without requantization. pOut and pBias are arrays of int32, whatever their types say. */
void pulp_nn_linear_u8_i32_i8(uint8_t *pIn, int8_t *pBias, int32_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons);
void pulp_nn_linear_i8_i32_i8(int8_t *pIn, int8_t *pBias, int8_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons);

void pulp_nn_maxpool_u8(uint8_t *pIn, uint8_t *pOut, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in,
                        uint16_t dim_im_out_x, uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,
                        uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, uint16_t padding_r,
                        uint16_t stride_x, uint16_t stride_y);
void pulp_nn_maxpool_i8(int8_t *pIn, int8_t *pOut, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in,
                        uint16_t dim_im_out_x, uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,
                        uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, uint16_t padding_r,
                        uint16_t stride_x, uint16_t stride_y);

/** clip((pIn1 * out_mult1 + pIn2 * out_mult2) >> out_shift), multipliers as int16. */
void pulp_nn_add_u8_u8(uint8_t *pIn1, uint8_t *pIn2, uint8_t *pOut, uint16_t out_mult1, uint16_t out_mult2,
                       uint16_t out_shift, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in);

/** Each input becomes clip((pIn * in_mul + in_add) >> in_shift) in its own type, their sum
 * clip((sum * out_mul + out_add) >> out_shift), without out_requant_flag clip(sum). */
#define PULP_NN_DECLARE_ADD(NAME, IN1, IN2, OUT)                                                                    \
  void NAME(IN1 *pIn1, IN2 *pIn2, OUT *pOut, int32_t in1_mul, int32_t in1_add, uint16_t in1_shift, int32_t in2_mul, \
            int32_t in2_add, uint16_t in2_shift, int32_t out_mul, int32_t out_add, uint16_t out_shift,              \
            uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in, int out_requant_flag);

PULP_NN_DECLARE_ADD(pulp_nn_add_u8_u8_u8, uint8_t, uint8_t, uint8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_u8_u8_i8, uint8_t, uint8_t, int8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_u8_i8_u8, uint8_t, int8_t, uint8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_u8_i8_i8, uint8_t, int8_t, int8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_i8_u8_u8, int8_t, uint8_t, uint8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_i8_u8_i8, int8_t, uint8_t, int8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_i8_i8_u8, int8_t, int8_t, uint8_t)
PULP_NN_DECLARE_ADD(pulp_nn_add_i8_i8_i8, int8_t, int8_t, int8_t)

#undef PULP_NN_DECLARE_ADD

#endif /* PULP_NN_KERNELS_H_ */
