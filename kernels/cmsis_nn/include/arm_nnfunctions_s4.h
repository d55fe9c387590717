/* The functions of the CMSIS-NN v7 API for weights of four bits; arm_nnfunctions.h includes this file. Each is its int8
 * relative with another filter: two weights in [-8, 7] to a byte, the first in the lower half, rows without gaps, so
 * that a row of odd length ends inside a byte.
 */
#ifndef ARM_NNFUNCTIONS_S4_H
#define ARM_NNFUNCTIONS_S4_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Convolution ------------------------------------------------------------------------------------------------- */

/** Convolution: picks the best of the functions below for the shape. As arm_convolve_wrapper_s8(), without groups. */
arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_wrapper_s4() in bytes. */
int32_t arm_convolve_wrapper_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_convolve_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_convolve_wrapper_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);

/** Convolution of any shape: CK = C_IN. ARM_CMSIS_NN_ARG_ERROR when scratch is missing. */
arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data);

/** The same where HK * WK * C_IN is even, so that rows of the filter begin at whole bytes; else
 * ARM_CMSIS_NN_ARG_ERROR, and without MVE always ARM_CMSIS_NN_NO_IMPL_ERROR, as Arm's. */
arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_s4() and arm_convolve_even_s4() in bytes. Of filter_dims h and w are read. */
int32_t arm_convolve_s4_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/** 1x1 convolution, stride 1, no padding; else ARM_CMSIS_NN_ARG_ERROR. Needs no scratch. */
arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_1x1_s4_fast() in bytes: 0. */
int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims *input_dims);

/** 1x1 convolution of any stride, no padding; else ARM_CMSIS_NN_ARG_ERROR. Needs no scratch. */
arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Convolution of input height 1, dilation.w 1, (stride.w * C_IN) % 4 == 0 and with scratch; else
 * ARM_CMSIS_NN_ARG_ERROR. */
arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_convolve_1_x_n_s4() in bytes. */
int32_t arm_convolve_1_x_n_s4_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims);

/* ---- Depthwise convolution --------------------------------------------------------------------------------------- */

/** Depthwise convolution: picks one of the functions below. As arm_depthwise_conv_wrapper_s8(). */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_depthwise_conv_wrapper_s4() in bytes. */
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims);

/** The same for a build with the DSP extension. */
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

/** The same for a build with MVE. */
int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims);

/** Any depthwise convolution. Needs no scratch. */
arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input,
                                          const cmsis_nn_dims *filter_dims, const int8_t *kernel,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                          const cmsis_nn_dims *output_dims, int8_t *output);

/** One output per channel, one image, no dilation; else ARM_CMSIS_NN_ARG_ERROR, as without scratch. */
arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_depthwise_conv_s4_opt() in bytes. */
int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims);

/* ---- Fully connected --------------------------------------------------------------------------------------------- */

/** Fully connected layer: as arm_fully_connected_s8(), filter_offset and ctx not read. */
arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data);

#ifdef __cplusplus
}
#endif

#endif /* ARM_NNFUNCTIONS_S4_H */
