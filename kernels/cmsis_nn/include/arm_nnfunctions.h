/* The CMSIS-NN v7 API: here what is int8, and all else in the headers that this one includes.
 *
 * Signatures and results are those of Arm's public header (CMSIS-NN 7), so either library can be linked. The code is
 * Tinsmith's own. tinsmith_nn.h has faster relatives that take weights arranged ahead of time.
 *
 * Conventions, valid for every function unless it says otherwise:
 *  - Activations are NHWC int8, read and written without gaps. Any address will do: no alignment is asked of tensors.
 *  - Results equal TFLite 2.14's reference kernels bit by bit: a 32-bit accumulator acc is scaled by
 *        RoundingDivideByPOT(SaturatingRoundingDoublingHighMul(acc * 2^max(shift, 0), multiplier), max(-shift, 0)),
 *    (both of gemmlowp), then output_offset is added and the result clamped to [activation.min, activation.max].
 *    acc and acc * 2^max(shift, 0) must fit 32 bits, as they do in every model TFLite makes.
 *  - input, output, filter and scratch do not overlap.
 *  - Members of dims and parameters that no line of Arm's function reads are not read here either: they may hold
 *    anything. Such are filter_dims->n and output_dims->n of convolutions, and those named at the functions.
 *  - Nothing is allocated and nothing is kept between calls; ctx->buf needs no clearing. Functions are reentrant.
 *  - `*_get_buffer_size` gives the bytes wanted in ctx->buf by the implementation this library was built as; the
 *    variants `_dsp` and `_mve` give them for that extension, so that a host tool can plan for another core.
 */
#ifndef ARM_NNFUNCTIONS_H
#define ARM_NNFUNCTIONS_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"
#include "arm_nnfunctions_recurrent.h"
#include "arm_nnfunctions_s16.h"
#include "arm_nnfunctions_s4.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Convolution ------------------------------------------------------------------------------------------------ */

/**
 * Convolution: picks the best of the functions below for the shape.
 *
 * @param[in,out] ctx          Scratch of arm_convolve_wrapper_s8_get_buffer_size() bytes.
 * @param[in]     conv_params  input_offset in [-127, 128], output_offset in [-128, 127], strides and dilations >= 1.
 * @param[in]     quant_params One multiplier and shift per output channel.
 * @param[in]     input_dims   [N, H, W, C_IN]
 * @param[in]     input_data   int8
 * @param[in]     filter_dims  [C_OUT, HK, WK, CK]; CK divides C_IN and C_IN / CK divides C_OUT (grouped convolution).
 * @param[in]     filter_data  int8, [C_OUT, HK, WK, CK] without gaps, zero point 0.
 * @param[in]     bias_dims    [C_OUT]; not read.
 * @param[in]     bias_data    int32, one per output channel, or NULL for none.
 * @param[in]     output_dims  [N, H, W, C_OUT]
 * @param[out]    output_data  int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or the dims contradict.
 */
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_wrapper_s8() in bytes. */
int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_convolve_wrapper_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

/**
 * Convolution of any shape. Arguments as arm_convolve_wrapper_s8().
 *
 * @param[in] upscale_dims NULL. (Arm's library inserts zeros for transposed convolution here; this one answers
 *                         ARM_CMSIS_NN_NO_IMPL_ERROR when h or w is 2.)
 */
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data);

/** Scratch of arm_convolve_s8() in bytes. */
int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/** 1x1 convolution, stride 1, no padding; else ARM_CMSIS_NN_ARG_ERROR. CK = C_IN is taken for granted: filter_dims and
 * dilation are not read, nor is output_dims but for c. Needs no scratch. */
arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_1x1_s8_fast() in bytes: 0. */
int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims);

/** 1x1 convolution of any stride, no padding; else ARM_CMSIS_NN_ARG_ERROR. CK = C_IN is taken for granted: filter_dims
 * and dilation are not read. Needs no scratch. */
arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Convolution of input height 1, dilation.w 1, (stride.w * C_IN) % 4 == 0 and with scratch; else
 * ARM_CMSIS_NN_ARG_ERROR. With MVE a filter of height 1 and CK = C_IN are taken for granted, and nothing along the
 * columns is read. */
arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_1_x_n_s8() in bytes. */
int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

/* ---- Transposed convolution -------------------------------------------------------------------------------------- */

/**
 * Transposed convolution; the other function with the arguments in the same order.
 *
 * @param[in,out] ctx                Scratch of arm_transpose_conv_s8_get_buffer_size() bytes.
 * @param[in]  output_ctx            Not read; arm_transpose_conv_s8_get_reverse_conv_buffer_size() is 0.
 * @param[in]  transpose_conv_params input_offset in [-127, 128], output_offset in [-128, 127], stride >= 1, padding
 *                                   before, activation; dilation is not read (1).
 * @param[in]  quant_params          One multiplier and shift per output channel.
 * @param[in]  input_dims            [N, H, W, C_IN]
 * @param[in]  input_data            int8
 * @param[in]  filter_dims           h and w; [C_OUT, HK, WK, C_IN].
 * @param[in]  filter_data           int8, zero point 0.
 * @param[in]  bias_dims             Not read.
 * @param[in]  bias_data             int32, one per output channel, or NULL for none.
 * @param[in]  output_dims           [N, H, W, C_OUT]; n is not read.
 * @param[out] output_data           int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing.
 */
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);

/** As arm_transpose_conv_wrapper_s8(). */
arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch `ctx` of arm_transpose_conv_wrapper_s8() and arm_transpose_conv_s8() in bytes. */
int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims);

/** Scratch `output_ctx` of both in bytes. */
int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims);

/** Scratch `ctx` for a build with the DSP extension. */
int32_t arm_transpose_conv_s8_get_buffer_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims);

/** Scratch `ctx` for a build with MVE. */
int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims);

/* ---- Depthwise convolution -------------------------------------------------------------------------------------- */

/**
 * Depthwise convolution: picks the best of the functions below for the shape.
 *
 * @param[in,out] ctx            Scratch of arm_depthwise_conv_wrapper_s8_get_buffer_size() bytes.
 * @param[in]     dw_conv_params ch_mult * C_IN = C_OUT; input_offset in [-127, 128], output_offset in [-128, 127].
 * @param[in]     quant_params   One multiplier and shift per output channel.
 * @param[in]     input_dims     [N, H, W, C_IN]
 * @param[in]     input_data     int8
 * @param[in]     filter_dims    [1, HK, WK, C_OUT]
 * @param[in]     filter_data    int8, [1, HK, WK, C_OUT]; output channel i * ch_mult + m reads input channel i.
 * @param[in]     bias_dims      [C_OUT]; not read.
 * @param[in]     bias_data      int32, one per output channel, or NULL for none.
 * @param[in]     output_dims    [N, H, W, C_OUT]
 * @param[out]    output_data    int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or the dims contradict.
 */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_depthwise_conv_wrapper_s8() in bytes. */
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

/** Depthwise convolution of any shape, multiplier and dilation. Needs no scratch. */
arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Depthwise convolution of one image for C_IN = C_OUT, a 3x3 filter and padding.w <= 1; else ARM_CMSIS_NN_ARG_ERROR.
 * ch_mult 1 and no dilation are taken for granted: they are not read. Needs no scratch. */
arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Depthwise convolution of one image for C_IN = C_OUT; else, or without scratch where its size function asks for some,
 * ARM_CMSIS_NN_ARG_ERROR. With the DSP extension and MVE, ch_mult 1 and no dilation are taken for granted. */
arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_depthwise_conv_s8_opt() in bytes. */
int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/* ---- Fully connected -------------------------------------------------------------------------------------------- */

/**
 * Fully connected layer, one multiplier for the tensor.
 *
 * @param[in,out] ctx          Scratch of arm_fully_connected_s8_get_buffer_size() bytes. With MVE it is not scratch but
 *                             an input: C sums made by arm_vector_sum_s8(sums, N, C, filter, input_offset,
 *                             filter_offset, bias), that is, the effective bias.
 * @param[in]     fc_params    input_offset in [-127, 128], filter_offset in [-127, 128], output_offset in [-128, 127].
 * @param[in]     quant_params One multiplier and shift.
 * @param[in]     input_dims   [N, H, W, C_IN]: N batches of H * W * C_IN values.
 * @param[in]     input_data   int8
 * @param[in]     filter_dims  n = H * W * C_IN (depth of the sum), c = C_OUT; h and w are not read.
 * @param[in]     filter_data  int8, [C_OUT, depth]
 * @param[in]     bias_dims    [C_OUT]; not read.
 * @param[in]     bias_data    int32, one per output, or NULL for none.
 * @param[in]     output_dims  n = N, c = C_OUT; h and w are not read.
 * @param[out]    output_data  int8, [N, C_OUT]
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing.
 */
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Fully connected layer, one multiplier per output; else as arm_fully_connected_s8(). */
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                       const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Either of the two above, chosen by quant_params->is_per_channel. */
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Bytes wanted in ctx->buf by the fully connected functions. */
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);

/** The same for a build with the DSP extension. */
int32_t arm_fully_connected_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);

/** The same for a build with MVE. */
int32_t arm_fully_connected_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

/**
 * Effective bias of a matrix: vector_sum_buf[r] = bias_data[r] + lhs_offset * sum over c of (vector_data[r][c] +
 * rhs_offset).
 *
 * @param[out] vector_sum_buf vector_rows int32
 * @param[in]  vector_cols    Values per row, >= 1.
 * @param[in]  vector_rows    Rows.
 * @param[in]  vector_data    int8, [vector_rows, vector_cols]
 * @param[in]  lhs_offset     Factor of each sum: [-127, 128].
 * @param[in]  rhs_offset     Added to each value: [-127, 128].
 * @param[in]  bias_data      int32, one per row, or NULL for zeros.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data);

/**
 * Products of matrices, lhs times rhs transposed, of which either may be repeated along n and h.
 *
 * @param[in,out] ctx            Scratch of arm_fully_connected_s8_get_buffer_size() bytes for [.., c = COLUMNS].
 * @param[in]     bmm_params     fc_params: minus the zero points of lhs and rhs, the output's, activation.
 * @param[in]     quant_params   One multiplier and shift.
 * @param[in]     input_lhs_dims [N or 1, H or 1, ROWS, K]
 * @param[in]     input_lhs      int8
 * @param[in]     input_rhs_dims [N or 1, H or 1, COLUMNS, K]: each row holds a column of the second factor.
 * @param[in]     input_rhs      int8
 * @param[in]     output_dims    [N, H, ROWS, COLUMNS]
 * @param[out]    output         int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing.
 */
arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                        const cmsis_nn_per_tensor_quant_params *quant_params,
                                        const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                        const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                        const cmsis_nn_dims *output_dims, int8_t *output);

/* ---- Elementwise ------------------------------------------------------------------------------------------------ */

/**
 * Sum of two tensors of the same size. Each input v becomes requantize((v + offset) << left_shift, mult, shift); the
 * sum of both is requantized by out_mult and out_shift, moved by out_offset and clamped.
 *
 * @param[in]  input_1_vect       int8, block_size values; may be the same as output.
 * @param[in]  input_2_vect       int8, block_size values; may be the same as output.
 * @param[in]  input_1_offset     Minus the zero point of input 1: [-127, 128].
 * @param[in]  input_1_mult       Q31 in [2^30, 2^31)
 * @param[in]  input_1_shift      [-31, 0]
 * @param[in]  input_2_offset     Minus the zero point of input 2: [-127, 128].
 * @param[in]  input_2_mult       Q31 in [2^30, 2^31)
 * @param[in]  input_2_shift      [-31, 0]
 * @param[in]  left_shift         [0, 22]; 20 in TFLite's int8 add.
 * @param[out] output             int8, block_size values.
 * @param[in]  out_offset         Zero point of the output: [-128, 127].
 * @param[in]  out_mult           Q31 in [2^30, 2^31)
 * @param[in]  out_shift          [-31, 0]
 * @param[in]  out_activation_min [-128, out_activation_max]
 * @param[in]  out_activation_max [out_activation_min, 127]
 * @param[in]  block_size         Values, >= 0.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, const int32_t input_1_offset, const int32_t input_1_mult,
    const int32_t input_1_shift, const int32_t input_2_offset, const int32_t input_2_mult, const int32_t input_2_shift,
    const int32_t left_shift, int8_t *output, const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
    const int32_t out_activation_min, const int32_t out_activation_max, const int32_t block_size);

/**
 * Product of two tensors of the same size: requantize((a + input_1_offset) * (b + input_2_offset), out_mult, out_shift)
 * + out_offset, clamped. Parameters and ranges as arm_elementwise_add_s8(); out_shift in [-31, 14].
 */
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           const int32_t input_1_offset, const int32_t input_2_offset, int8_t *output,
                                           const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                           const int32_t out_activation_min, const int32_t out_activation_max,
                                           const int32_t block_size);

/**
 * The lesser of two values of tensors, each of whose extents is the output's or 1.
 *
 * @param[in]  ctx          Not read.
 * @param[in]  input_1_data int8
 * @param[in]  input_1_dims [N or 1, H or 1, W or 1, C or 1]
 * @param[in]  input_2_data int8
 * @param[in]  input_2_dims [N or 1, H or 1, W or 1, C or 1]
 * @param[out] output_data  int8
 * @param[in]  output_dims  Not read: it follows from the others.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

/** The greater; arguments as arm_minimum_s8(). */
arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims);

/** Clamp `size` values to [0, 127], in place. */
void arm_relu_q7(int8_t *data, uint16_t size);

/** Clamp `size` values to [0, 6], in place: raw values, no scale. */
void arm_relu6_s8(int8_t *data, uint16_t size);

/* ---- Pooling ---------------------------------------------------------------------------------------------------- */

/**
 * Average pooling; padding does not count. The mean is rounded half away from zero, as TFLite does.
 *
 * @param[in,out] ctx         Scratch of arm_avgpool_s8_get_buffer_size() bytes.
 * @param[in]     pool_params stride >= 1, padding < filter, activation in [-128, 127].
 * @param[in]     input_dims  [N, H, W, C]
 * @param[in]     input_data  int8
 * @param[in]     filter_dims h and w; n and c are not read.
 * @param[in]     output_dims [N, H, W, C]
 * @param[out]    output_data int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when N < 1, scratch is missing or a window lies outside.
 */
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data);

/**
 * Scratch of arm_avgpool_s8() in bytes.
 *
 * @param[in] dim_dst_width Columns of the output.
 * @param[in] ch_src        Channels.
 */
int32_t arm_avgpool_s8_get_buffer_size(const int dim_dst_width, const int ch_src);

/** The same for a build with the DSP extension. */
int32_t arm_avgpool_s8_get_buffer_size_dsp(const int dim_dst_width, const int ch_src);

/** The same for a build with MVE. */
int32_t arm_avgpool_s8_get_buffer_size_mve(const int dim_dst_width, const int ch_src);

/** Max pooling; arguments as arm_avgpool_s8(), no scratch. */
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data);

/* ---- Softmax ---------------------------------------------------------------------------------------------------- */

/**
 * Softmax of each row; output scale 1/256, zero point -128.
 *
 * @param[in]  input    int8, [num_rows, row_size]
 * @param[in]  num_rows Rows, >= 0.
 * @param[in]  row_size Values per row, [1, 4095] (TFLite's 12-bit sum of exponentials).
 * @param[in]  mult     Q31 multiplier of beta * input scale, in [2^30, 2^31).
 * @param[in]  shift    Left shift, [0, 31].
 * @param[in]  diff_min Differences from the row's maximum below this count as exp = 0; above 0, all outputs are -128.
 * @param[out] output   int8, [num_rows, row_size]; may be the same as input.
 */
void arm_softmax_s8(const int8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, int8_t *output);

/** Softmax of uint8: as arm_softmax_s8() with all values 128 higher. */
void arm_softmax_u8(const uint8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, uint8_t *output);

/* ---- Moving data ------------------------------------------------------------------------------------------------ */

/** Copy `total_size` bytes. */
void arm_reshape_s8(const int8_t *input, int8_t *output, const uint32_t total_size);

/**
 * Permute up to four dimensions.
 *
 * @param[in]  input_data       int8
 * @param[out] output_data      int8
 * @param[in]  input_dims       The first num_dims of n, h, w, c.
 * @param[in]  output_dims      The same, permuted.
 * @param[in]  transpose_params num_dims in [1, 4]; output dimension i is input dimension permutations[i].
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR for a number of dimensions or a permutation out of range.
 */
arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *const output_data,
                                     const cmsis_nn_dims *const input_dims, const cmsis_nn_dims *const output_dims,
                                     const cmsis_nn_transpose_params *const transpose_params);

/**
 * Put one tensor into a concatenation along the innermost dimension x. Call once per tensor, offset_x growing.
 *
 * @param[in]  input    int8, [input_w, input_z, input_y, input_x]
 * @param[in]  input_x  Innermost extent of the input.
 * @param[in]  input_y  Second extent.
 * @param[in]  input_z  Third extent.
 * @param[in]  input_w  Outermost extent.
 * @param[out] output   int8, the whole result.
 * @param[in]  output_x Extent of the result along x.
 * @param[in]  offset_x Where along x this input begins; offset_x + input_x <= output_x.
 */
void arm_concatenation_s8_x(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_x, const uint32_t offset_x);

/** The same along y. */
void arm_concatenation_s8_y(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_y, const uint32_t offset_y);

/** The same along z. */
void arm_concatenation_s8_z(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_z, const uint32_t offset_z);

/** The same along w, the outermost: the extent of the result is not needed. */
void arm_concatenation_s8_w(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint32_t offset_w);

/**
 * Surround a tensor with pad_value.
 *
 * @param[in]  input      int8, NHWC
 * @param[out] output     int8; each extent is pre + input + post.
 * @param[in]  pad_value  [-128, 127]
 * @param[in]  input_size Extents of the input.
 * @param[in]  pre_pad    Values before the data in each dimension, >= 0.
 * @param[in]  post_pad   Values after the data in each dimension, >= 0.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, const int8_t pad_value,
                               const cmsis_nn_dims *input_size, const cmsis_nn_dims *pre_pad,
                               const cmsis_nn_dims *post_pad);

#ifdef __cplusplus
}
#endif

#endif /* ARM_NNFUNCTIONS_H */
