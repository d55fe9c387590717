/* Layers on weights of two bits, from -2 to 1, arranged ahead of time, four in each byte of flash.
 *
 * Arguments are those of the functions on bytes of tinsmith_nn.h, but for what is said at each. `_nearest`: rounded
 * once, as tinsmith_nn_nearest.h says.
 */
#ifndef TINSMITH_NN_TWO_BITS_H
#define TINSMITH_NN_TWO_BITS_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_convolve_packed_s2 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s2)
#define tinsmith_convolve_packed_s2_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s2_nearest)
#define tinsmith_convolve_packed_any_s2 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_any_s2)
#define tinsmith_convolve_packed_any_s2_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_any_s2_nearest)
#define tinsmith_depthwise_packed_s2 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s2)
#define tinsmith_depthwise_packed_s2_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s2_nearest)
#define tinsmith_depthwise_packed_any_s2 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s2)
#define tinsmith_depthwise_packed_any_s2_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s2_nearest)
#define tinsmith_fully_connected_packed_s2 TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s2)
#define tinsmith_fully_connected_packed_s2_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s2_nearest)
#define tinsmith_convolve_packed_s2_narrow TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s2_narrow)
#define tinsmith_depthwise_packed_s2_narrow TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s2_narrow)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * tinsmith_convolve_packed_s8() on weights of two bits, from -2 to 1.
 *
 * DSP, filter_data: for each group of 4 output channels a, b, c, d and each block of 4 values of k, a little-endian
 * word of sixteen numbers of two bits, the first in the lowest bits. With h = 0 and 1 and N the number that is added to
 * weights of a and c so that they are not negative, 1 if no weight of the layer is -2, or 2:
 *     numbers 4 h      and 4 h + 8          a[k + h] + N and a[k + h + 2] + N
 *     numbers 4 h + 7  and (4 h + 15) % 16  b[k + h] and b[k + h + 2]
 *     numbers 4 h + 2  and 4 h + 10         c[k + h] + N and c[k + h + 2] + N
 *     numbers (4 h + 9) % 16 and 4 h + 1    d[k + h] and d[k + h + 2]
 * C_OUT and K are rounded up to multiples of 4 with weights 0. Size: roundup4(C_OUT) * roundup4(K) / 4.
 * bias_data: as of that function, then N. What the arranger must have proved besides: for odd output channels, the sum
 * over k of |w[o][k]| is less than 2^10. Scratch is that of that function.
 *
 * C, filter_data: of each 16 weights, in the order of that function, 4 bytes: byte j is (w[j] + 2) + 4 * (w[j + 4] + 2)
 * + 16 * (w[j + 8] + 2) + 64 * (w[j + 12] + 2). MVE: of each 64 weights 16 bytes: byte j has w[j] in its two lowest
 * bits, then w[j + 16], w[j + 32] and w[j + 48]. What is missing to 16 or 64 are any weights. They become bytes in
 * scratch: tinsmith_packed_s2_get_weights_size() bytes in front of those of that function.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_s2(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data);

arm_cmsis_nn_status tinsmith_convolve_packed_s2_nearest(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);

/** The same of tinsmith_convolve_packed_any_s8(). C and DSP only. */
arm_cmsis_nn_status tinsmith_convolve_packed_any_s2(const cmsis_nn_context *ctx,
                                                    const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                    const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                    int8_t *output_data);

arm_cmsis_nn_status tinsmith_convolve_packed_any_s2_nearest(const cmsis_nn_context *ctx,
                                                            const cmsis_nn_conv_params *conv_params,
                                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                            const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                            int8_t *output_data);

/**
 * tinsmith_depthwise_packed_s8() on weights of two bits, from -2 to 1, which become bytes in scratch first; with MVE,
 * windows of 3x3 are those of tinsmith_depthwise_packed_3x3_s8(). filter_data and scratch: as above, with DSP as
 * in C.
 */
arm_cmsis_nn_status tinsmith_depthwise_packed_s2(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data);

arm_cmsis_nn_status tinsmith_depthwise_packed_s2_nearest(const cmsis_nn_context *ctx,
                                                         const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                         const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                         int8_t *output_data);

/** The same of tinsmith_depthwise_packed_any_s8(). C and DSP only. */
arm_cmsis_nn_status tinsmith_depthwise_packed_any_s2(const cmsis_nn_context *ctx,
                                                     const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                                     const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                     const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                     int8_t *output_data);

arm_cmsis_nn_status tinsmith_depthwise_packed_any_s2_nearest(const cmsis_nn_context *ctx,
                                                             const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const int8_t *filter_data, const int32_t *bias_data,
                                                             const cmsis_nn_dims *output_dims, int8_t *output_data);

/**
 * tinsmith_fully_connected_packed_s8() on weights of two bits, from -2 to 1, for scales of any size: C and DSP, as of
 * tinsmith_convolve_packed_any_s8().
 *
 * DSP, filter_data and bias_data: as of tinsmith_convolve_packed_s2() with K = filter_dims->n, with the same bound.
 * C and MVE: as above, in the order of that function. They become bytes in scratch, of so many channels at a time:
 * tinsmith_fully_connected_packed_s2_get_buffer_size_c() bytes, or those of _mve().
 */
arm_cmsis_nn_status tinsmith_fully_connected_packed_s2(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

arm_cmsis_nn_status tinsmith_fully_connected_packed_s2_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/**
 * With narrow multipliers. C and DSP only. multiplier, shift and bias: as tinsmith_nn_narrow.h says of plain C, with
 * the DSP extension, too; there N follows the bias of a convolution.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_s2_narrow(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

arm_cmsis_nn_status tinsmith_depthwise_packed_s2_narrow(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_dw_conv_params *dw_conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);

/** Bytes of scratch that `count` weights take: 1 each, rounded up to a multiple of 64. */
int32_t tinsmith_packed_s2_get_weights_size(int32_t count);

/** Scratch of tinsmith_fully_connected_packed_s2() in bytes: with DSP none, else weights of 16 channels, or with
 * MVE 12.
 */
int32_t tinsmith_fully_connected_packed_s2_get_buffer_size_c(const cmsis_nn_dims *filter_dims);
int32_t tinsmith_fully_connected_packed_s2_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_TWO_BITS_H */
