/* The functions of the CMSIS-NN v7 API for int16 activations; arm_nnfunctions.h includes this file, and its conventions
 * are those of this one, but for int16: the zero points are 0, and sums of 64 bits are scaled by a multiplier of 16
 * bits, (acc * m + 2^(14 - shift)) >> (15 - shift), m = (multiplier + 2^15) >> 16, at most 32767.
 */
#ifndef ARM_NNFUNCTIONS_S16_H
#define ARM_NNFUNCTIONS_S16_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Convolution ------------------------------------------------------------------------------------------------- */

/**
 * Convolution: arm_convolve_s16().
 *
 * @param[in,out] ctx          Scratch of arm_convolve_wrapper_s16_get_buffer_size() bytes.
 * @param[in]     conv_params  input_offset and output_offset are not read (0); strides and dilations >= 1.
 * @param[in]     quant_params One multiplier and shift per output channel.
 * @param[in]     input_dims   [N, H, W, C_IN]
 * @param[in]     input_data   int16
 * @param[in]     filter_dims  h and w; n and c are not read: [C_OUT, HK, WK, C_IN], no groups.
 * @param[in]     filter_data  int8, zero point 0.
 * @param[in]     bias_dims    Not read.
 * @param[in]     bias_data    int64: sums of 64 bits, scaled by multipliers of 16. int32: sums of 32 bits, scaled as
 *                             those of int8, which must not overflow.
 * @param[in]     output_dims  [N, H, W, C_OUT]; n is not read.
 * @param[out]    output_data  int16
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing.
 */
arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                             const cmsis_nn_dims *output_dims, int16_t *output_data);

/** Scratch of arm_convolve_wrapper_s16() in bytes. */
int32_t arm_convolve_wrapper_s16_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                 const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_convolve_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_convolve_wrapper_s16_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims);

/** Convolution of any shape. Arguments as arm_convolve_wrapper_s16(). */
arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                     const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data);

/** Scratch of arm_convolve_s16() in bytes. Of filter_dims h and w are read, of input_dims c. */
int32_t arm_convolve_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/* ---- Depthwise convolution --------------------------------------------------------------------------------------- */

/**
 * Depthwise convolution.
 *
 * @param[in,out] ctx            Scratch of arm_depthwise_conv_wrapper_s16_get_buffer_size() bytes.
 * @param[in]     dw_conv_params ch_mult * C_IN = C_OUT; offsets are not read (0).
 * @param[in]     quant_params   One multiplier and shift per output channel.
 * @param[in]     input_dims     [N, H, W, C_IN]
 * @param[in]     input_data     int16
 * @param[in]     filter_dims    h and w; n and c are not read: [1, HK, WK, C_OUT].
 * @param[in]     filter_data    int8; output channel i * ch_mult + m reads input channel i.
 * @param[in]     bias_dims      Not read.
 * @param[in]     bias_data      int64, one per output channel, or NULL for none.
 * @param[in]     output_dims    [N, H, W, C_OUT]; n is not read.
 * @param[out]    output_data    int16
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
                                                   const cmsis_nn_dw_conv_params *dw_conv_params,
                                                   const cmsis_nn_per_channel_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int16_t *output_data);

/** Scratch of arm_depthwise_conv_wrapper_s16() in bytes. */
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_depthwise_conv_wrapper_s16_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims,
                                                           const cmsis_nn_dims *output_dims);

/** Any depthwise convolution. Arguments as arm_depthwise_conv_wrapper_s16(); needs no scratch. */
arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int16_t *output_data);

/** One output per channel, dilation 1 taken for granted, less than 512 taps; else ARM_CMSIS_NN_ARG_ERROR. Needs no
 * scratch. */
arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
                                                const cmsis_nn_dw_conv_params *dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                const cmsis_nn_dims *output_dims, int16_t *output_data);

/** Scratch of arm_depthwise_conv_fast_s16() in bytes: 0. */
int32_t arm_depthwise_conv_fast_s16_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/* ---- Fully connected, products of matrices ----------------------------------------------------------------------- */

/**
 * Fully connected layer: sums of 64 bits, scaled by multipliers of 16.
 *
 * @param[in]  ctx          Not read.
 * @param[in]  fc_params    activation; offsets are not read (0).
 * @param[in]  quant_params One multiplier and shift for the whole layer.
 * @param[in]  input_dims   n: rows.
 * @param[in]  input_data   int16, [n, K]
 * @param[in]  filter_dims  n = K
 * @param[in]  filter_data  int8, [C_OUT, K]
 * @param[in]  bias_dims    Not read.
 * @param[in]  bias_data    int64, one per output, or NULL for none.
 * @param[in]  output_dims  c = C_OUT
 * @param[out] output_data  int16, [n, C_OUT]
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                            const cmsis_nn_per_tensor_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int16_t *output_data);

/** Scratch of arm_fully_connected_s16() in bytes: 0. */
int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims *filter_dims);

/** The same for a build with the DSP extension. */
int32_t arm_fully_connected_s16_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);

/** The same for a build with MVE. */
int32_t arm_fully_connected_s16_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

/**
 * Sums of the rows of a matrix, times a number: the part of a sum of 64 bits that the input's zero point adds.
 *
 * @param[out] vector_sum_buf vector_rows int64: bias + lhs_offset * (sum of the row).
 * @param[in]  vector_cols    Values per row, >= 1.
 * @param[in]  vector_rows    Rows.
 * @param[in]  vector_data    int8, [vector_rows, vector_cols]
 * @param[in]  lhs_offset     Factor of each sum.
 * @param[in]  bias_data      int64, one per row, or NULL for zeros.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                          const int8_t *vector_data, const int32_t lhs_offset,
                                          const int64_t *bias_data);

/**
 * Products of matrices, lhs times rhs transposed, of which either may be repeated along n and h.
 *
 * @param[in]  ctx            Not read.
 * @param[in]  bmm_params     activation; all else is not read.
 * @param[in]  quant_params   One multiplier and shift.
 * @param[in]  input_lhs_dims [N or 1, H or 1, ROWS, K]
 * @param[in]  input_lhs      int16
 * @param[in]  input_rhs_dims [N or 1, H or 1, COLUMNS, K]: each row holds a column of the second factor.
 * @param[in]  input_rhs      int16
 * @param[in]  output_dims    [N, H, ROWS, COLUMNS]
 * @param[out] output         int16
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                         const cmsis_nn_per_tensor_quant_params *quant_params,
                                         const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
                                         const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
                                         const cmsis_nn_dims *output_dims, int16_t *output);

/* ---- Elementwise ------------------------------------------------------------------------------------------------- */

/** Sum of two tensors; as arm_elementwise_add_s8() with int16 and all offsets 0, which are not read. left_shift in
 * [0, 15]. */
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            const int32_t input_1_offset, const int32_t input_1_mult,
                                            const int32_t input_1_shift, const int32_t input_2_offset,
                                            const int32_t input_2_mult, const int32_t input_2_shift,
                                            const int32_t left_shift, int16_t *output, const int32_t out_offset,
                                            const int32_t out_mult, const int32_t out_shift,
                                            const int32_t out_activation_min, const int32_t out_activation_max,
                                            const int32_t block_size);

/** Product of two tensors; as arm_elementwise_mul_s8() with int16 and all offsets 0, which are not read. */
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            const int32_t input_1_offset, const int32_t input_2_offset, int16_t *output,
                                            const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                            const int32_t out_activation_min, const int32_t out_activation_max,
                                            const int32_t block_size);

/** Clamp `size` values to [0, 32767], in place. */
void arm_relu_q15(int16_t *data, uint16_t size);

/**
 * The logistic function or tanh, by straight lines between the values of a table; as TFLite computes it in int16.
 *
 * @param[in]  input      int16 in Q(3 + left_shift).(12 - left_shift), so Q3.12 for 0; may be the same as output.
 * @param[out] output     int16 in Q0.15.
 * @param[in]  size       Values, >= 0.
 * @param[in]  left_shift [-31, 14]; less than 0: the input is divided by 2^-left_shift, nearest, ties up.
 * @param[in]  type       ARM_SIGMOID or ARM_TANH.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, const int32_t size,
                                          const int32_t left_shift, const arm_nn_activation_type type);

/* ---- Pooling ----------------------------------------------------------------------------------------------------- */

/** Average pooling; as arm_avgpool_s8() with int16. Needs no scratch. */
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int16_t *output_data);

/** Scratch of arm_avgpool_s16() in bytes. */
int32_t arm_avgpool_s16_get_buffer_size(const int dim_dst_width, const int ch_src);

/** The same for a build with the DSP extension. */
int32_t arm_avgpool_s16_get_buffer_size_dsp(const int dim_dst_width, const int ch_src);

/** The same for a build with MVE. */
int32_t arm_avgpool_s16_get_buffer_size_mve(const int dim_dst_width, const int ch_src);

/** Max pooling; as arm_max_pool_s8() with int16. */
arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *src,
                                     const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int16_t *dst);

/* ---- Softmax ----------------------------------------------------------------------------------------------------- */

/** Softmax of int8 to int16: as arm_softmax_s8() with an output scale of 1/65536 and zero point -32768. */
void arm_softmax_s8_s16(const int8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                        const int32_t shift, const int32_t diff_min, int16_t *output);

/**
 * Softmax of each row by tables; output scale 1/32768, zero point 0.
 *
 * @param[in]  input          int16, [num_rows, row_size]
 * @param[in]  num_rows       Rows, >= 0.
 * @param[in]  row_size       Values per row, >= 1.
 * @param[in]  mult           Q31 multiplier of beta * input scale * 65535 / 10, in [2^30, 2^31).
 * @param[in]  shift          [-31, 14]
 * @param[in]  softmax_params Both tables.
 * @param[out] output         int16, [num_rows, row_size]; may be the same as input.
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when a table is missing.
 */
arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, const int32_t num_rows, const int32_t row_size,
                                    const int32_t mult, const int32_t shift,
                                    const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif /* ARM_NNFUNCTIONS_S16_H */
