/* The functions of tinsmith_nn.h for layers that round once, to nearest, with multipliers of few bits. An accumulator
 * becomes, as by tinsmith_nn_nearest.h,
 *     floor((accumulator * multiplier + 2^(s - 1)) / 2^s) + zero point,
 * but in words of 32 bits, by constants that the arranger made of all that does not depend on the input. Plain C and
 * the DSP extension have them.
 *
 * Dimensions, conv_params, weights, scratch and the bytes that are read and written are those of the function without
 * `_narrow`; multiplier, shift and bias are others:
 *
 * Of all but convolutions on bytes with the DSP extension, output is
 * floor((sum * multiplier + bias) / 2^shift), saturated. sum: of products of input and weights. bias: modulo 2^32,
 *     (bias + input offset * sum of weights) * multiplier + 2^(shift - 1) + zero point * 2^shift.
 * What the arranger must have proved: that all of sum * multiplier + bias is a number of 32 bits for every input. What
 * is summed and multiplied on the way may be taken modulo 2^32. shift is in [1, 31]. Of weights of four bits with the
 * DSP extension, the bounds of tinsmith_convolve_packed_s4() hold for sums without a bias.
 *
 * Of convolutions on bytes with the DSP extension, multiplier is m * 2^16 + right, m of at most 15 bits, right in
 * [1, 31]. Of the first channel of a pair (the one in the lower byte of the weights' lanes) right is s - 16, and bias
 * what its sum starts from; of the second right is s - 8, and bias 256 times its start, plus that of the first, modulo
 * 2^32. shift is (2 * zero point + 1) * 2^(right - 1), of less than 2^30. What must have been proved: that a sum of the
 * second is less than 2^23 for every input, its bias and zero point added.
 */
#ifndef TINSMITH_NN_NARROW_H
#define TINSMITH_NN_NARROW_H

#include "tinsmith_nn.h"

#define tinsmith_convolve_packed_s8_narrow TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s8_narrow)
#define tinsmith_convolve_packed_single_s8_narrow TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_single_s8_narrow)
#define tinsmith_depthwise_packed_s8_narrow TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s8_narrow)
#define tinsmith_convolve_packed_s4_narrow TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s4_narrow)
#define tinsmith_depthwise_packed_s4_narrow TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s4_narrow)

#ifdef __cplusplus
extern "C" {
#endif

arm_cmsis_nn_status tinsmith_convolve_packed_s8_narrow(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);
arm_cmsis_nn_status tinsmith_convolve_packed_single_s8_narrow(const cmsis_nn_context *ctx,
                                                              const cmsis_nn_conv_params *conv_params,
                                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                              const cmsis_nn_dims *filter_dims,
                                                              const int8_t *filter_data, const int32_t *bias_data,
                                                              const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_s8_narrow(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_dw_conv_params *dw_conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);

arm_cmsis_nn_status tinsmith_convolve_packed_s4_narrow(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_s4_narrow(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_dw_conv_params *dw_conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_NARROW_H */
