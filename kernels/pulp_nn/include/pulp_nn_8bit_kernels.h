/* The functions of the older pulp-nn (University of Bologna and ETH Zurich), written from scratch: uint8 activations,
 * int8 weights, 32-bit kappa and lambda, how cores divide the work in the name. PULP-NN's own header is called
 * pulp_nn_kernels.h, as is that of pulp-nn-mixed; no function's name is in both, so that a program may use both.
 *
 * Teams, layouts and results are those of our pulp_nn_kernels.h; what is different is said below. Where PULP-NN is at
 * odds with its own formulas, this is what we do: any number of cores; scaled sums are clipped without being cut to 16
 * bits first; sums below 0 become 0; pooling leaves its input as it was and has the left's padding at the left, the
 * top's at the top.
 */
#ifndef PULP_NN_8BIT_KERNELS_H_
#define PULP_NN_8BIT_KERNELS_H_

#include <stdint.h>

#include "pulp_nn_buffers.h"

/** Cores take rows (Ho), pixels (HoWo) or blocks of four channels (Co) of the output. */
#define PULP_NN_DECLARE_CONVOLUTION(NAME)                                                                    \
  void NAME(const uint8_t *pInBuffer, uint8_t *pIm2ColBuffer, const int8_t *bias, uint8_t *pOutBuffer,       \
            const int8_t *pWeight, int32_t *k, int32_t *lambda, uint16_t out_mult, uint16_t out_shift,       \
            uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y,    \
            uint16_t ch_out, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top,           \
            uint16_t padding_y_bottom, uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, \
            uint16_t stride_y, int flag_relu, int flag_batch_norm);

PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_Ho_parallel)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_HoWo_parallel)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_conv_Co_parallel)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_Ho_parallel)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_HoWo_parallel)
PULP_NN_DECLARE_CONVOLUTION(pulp_nn_pointwise_Co_parallel)

#undef PULP_NN_DECLARE_CONVOLUTION

/** CHW in, HWC out; any kernel in both. bufferC needs pulp_nn_depthwise_buffer_bytes(), bufferB is not used. */
#define PULP_NN_DECLARE_DEPTHWISE(NAME)                                                                                \
  void NAME(const uint8_t *Im_in, uint8_t *bufferC, const int8_t *bias, uint8_t *Im_out, const int8_t *wt,             \
            uint8_t *bufferB, int32_t *k, int32_t *lambda, uint16_t out_mult, uint16_t out_shift, uint16_t dim_in_x,   \
            uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x, uint16_t dim_out_y, uint16_t ch_out,                \
            uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_y_top, uint16_t padding_y_bottom,           \
            uint16_t padding_x_left, uint16_t padding_x_right, uint16_t stride_x, uint16_t stride_y, int8_t FLAG_RELU, \
            int8_t FLAG_BATCH_NORM);

PULP_NN_DECLARE_DEPTHWISE(pulp_nn_depthwise_generic)
PULP_NN_DECLARE_DEPTHWISE(pulp_nn_depthwise_generic_less_4_weights)

#undef PULP_NN_DECLARE_DEPTHWISE

/** A 3 x 3 kernel over R rows and C columns of CH channels, CHW, without padding above and below, p_l and p_r columns
 * of it at the sides: (R - 2) x (C + p_l + p_r - 2) pixels, HWC. PULP-NN does p_l = p_r = 1 and an even C only, and
 * does not use memory_chan: here it needs pulp_nn_depthwise_buffer_bytes(). */
void pulp_nn_depthwise_3x3_s1(uint8_t *In_Img, uint8_t *Out_Img, int R, int C, int CH, int p_l, int p_r, int8_t *Kernel,
                              int8_t out_shift, uint16_t out_mult, int32_t *kappa, int32_t *lambda, int flag_relu,
                              int flag_batch_norm, unsigned int *memory_chan);

/** Cores take blocks of four neurons. */
void pulp_nn_linear(uint8_t *pInBuffer, int8_t *bias, uint8_t *pOutBuffer, int8_t *pWeights, int32_t *k,
                    int32_t *lambda, uint16_t out_mult, int8_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons,
                    int flag_relu, int flag_batch_norm);

/** Sums alone. bias points to int32 numbers, as PULP-NN reads them. */
void pulp_nn_linear_out_32(uint8_t *pInBuffer, int8_t *bias, int32_t *pOutBuffer, int8_t *pWeights, uint16_t dim_vec,
                           uint16_t num_o_neurons);

/** Two columns on the calling core alone, without a barrier; returns pOut + 2 * ch_out. */
uint8_t *pulp_nn_matmul(const int8_t *pWeight, uint8_t *pInBuffer, uint16_t ch_out, uint16_t num_col_im2col,
                        uint16_t out_shift, uint16_t out_mult, int32_t *k, int32_t *lambda, const int8_t *bias,
                        uint8_t *pOut, uint8_t *pOut2, int flag_relu, int flag_batch_norm);

/** clip((Im_in_1 * out_mult1 + Im_in_2 * out_mult2) >> out_shift), multipliers as int16. */
void pulp_nn_add(uint8_t *Im_in_1, uint8_t *Im_in_2, uint8_t *Im_out, uint16_t out_mult1, uint16_t out_mult2,
                 uint16_t out_shift, uint16_t dim_im_in_h, uint16_t dim_im_in_w, uint16_t ch_im_in);

/** clip((sum * lambda / (dim_kernel_x * dim_kernel_y) + out_add) >> out_shift), the product an unsigned number of 32
 * bits; without flag_requant clip(sum / (dim_kernel_x * dim_kernel_y)). Padding counts in the divisor only. */
void pulp_nn_avgpool(uint8_t *Im_in, uint8_t *Im_out, int32_t lambda, uint16_t out_shift, int32_t out_add,
                     uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in, uint16_t dim_im_out_x,
                     uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint16_t padding_t,
                     uint16_t padding_b, uint16_t padding_l, uint16_t padding_r, uint16_t stride_x, uint16_t stride_y,
                     int flag_requant);

void pulp_nn_maxpool(uint8_t *Im_in, uint8_t *Im_out, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in,
                     uint16_t dim_im_out_x, uint16_t dim_im_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,
                     uint16_t padding_t, uint16_t padding_b, uint16_t padding_l, uint16_t padding_r, uint16_t stride_x,
                     uint16_t stride_y);

#endif /* PULP_NN_8BIT_KERNELS_H_ */
