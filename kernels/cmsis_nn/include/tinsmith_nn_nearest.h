/* The functions of tinsmith_nn.h for layers that round once: an accumulator becomes
 *     floor((accumulator * multiplier + 2^(s - 1)) / 2^s) + zero point, s = 31 - (public shift),
 * to nearest with halves up, where TFLite's have two roundings. It is fewer instructions on every core.
 *
 * Arguments and scratch are those of the function without `_nearest`, arranged alike. What the arranger must have
 * proved besides: where a public shift is 0 or more, |accumulator| * 2^(public shift + 1) is less than 2^30 for every
 * input, with MVE too.
 */
#ifndef TINSMITH_NN_NEAREST_H
#define TINSMITH_NN_NEAREST_H

#include "tinsmith_nn.h"

#define tinsmith_convolve_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s8_nearest)
#define tinsmith_convolve_packed_any_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_any_s8_nearest)
#define tinsmith_convolve_packed_offset_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_offset_s8_nearest)
#define tinsmith_depthwise_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s8_nearest)
#define tinsmith_depthwise_packed_any_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s8_nearest)
#define tinsmith_depthwise_pixels_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_pixels_s8_nearest)
#define tinsmith_fully_connected_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s8_nearest)
#define tinsmith_fully_connected_packed_deep_s8_nearest \
  TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_deep_s8_nearest)
#define tinsmith_fully_connected_small_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_small_s8_nearest)

#ifdef __cplusplus
extern "C" {
#endif

/* Convolution: scales below 0.5 (MVE: any), of any, and of weights that have a zero point. */

arm_cmsis_nn_status tinsmith_convolve_packed_s8_nearest(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);
arm_cmsis_nn_status tinsmith_convolve_packed_any_s8_nearest(const cmsis_nn_context *ctx,
                                                            const cmsis_nn_conv_params *conv_params,
                                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                            const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                            int8_t *output_data);
arm_cmsis_nn_status tinsmith_convolve_packed_offset_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_s8_nearest(const cmsis_nn_context *ctx,
                                                         const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                         const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                         int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_any_s8_nearest(const cmsis_nn_context *ctx,
                                                             const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const int8_t *filter_data, const int32_t *bias_data,
                                                             const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_pixels_s8_nearest(const cmsis_nn_context *ctx,
                                                         const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                         const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                         int8_t *output_data);
arm_cmsis_nn_status tinsmith_fully_connected_packed_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_fully_connected_packed_deep_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_fully_connected_small_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_NEAREST_H */
