/* Convolution, depthwise convolution and fully connected on arguments arranged ahead of time, and the public wrappers
 * under names of this library alone.
 *
 * Results equal those of the public functions of arm_nnfunctions.h bit by bit; what differs is that a compiler has
 * already done what does not depend on the input. It arranges four arrays per layer (Python:
 * tinsmith_cmsis_nn.packing):
 *
 *   filter_data   int8, 4-byte aligned (16 for MVE), arranged as said at each function;
 *   bias_data     int32 per output channel, folded: bias[o] + input_offset * (sum of the weights of o). Thus kernels
 *                 multiply raw inputs, and padding reads the input's zero point, -input_offset;
 *   multiplier    int32 per output channel   } C and DSP: folded, see below. MVE: as in arm_nnfunctions.h.
 *   shift         int32 per output channel   }
 *
 * Folded multiplier: 2 * the Q31 multiplier, modulo 2^32 (the Q31 one is in [2^30, 2^31)).
 * Folded shift: -(the public shift), which must be in [1, 22].
 * A channel whose public shift is below -22, or whose multiplier is 0, always gives the zero point when its
 * accumulator is small enough; the arranger checks that and gives weights 0, bias 0, multiplier 0, shift 1.
 *
 * C and DSP: the arrays of bias, multiplier and shift have C_OUT values rounded up to a multiple of 4 for convolution
 * and fully connected (padding: 0, 0, 1), C_OUT values for depthwise.
 *
 * What the arranger must have proved (tinsmith_cmsis_nn.packing refuses otherwise, and the public function remains):
 *   any build: |accumulator| < 2^30 for every input;
 *   DSP, convolution and fully connected: no weight is -128 and, for odd output channels, sum over k of |w[o][k]| is
 *   less than 2^16.
 *
 * Layouts and scratch depend on the implementation the kernels are built as (plain C, DSP extension or MVE); each
 * function tells. So objects know these functions by names that say implementation and version,
 * `tinsmith_convolve_packed_s8_dsp_v4`, and callers built for others do not link.
 * The size functions without suffix answer for this build, the others for the named implementation.
 */
#ifndef TINSMITH_NN_H
#define TINSMITH_NN_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_convolve_packed_s8 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s8)
#define tinsmith_depthwise_packed_s8 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s8)
#define tinsmith_depthwise_packed_3x3_s8 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_3x3_s8)
#define tinsmith_fully_connected_packed_s8 TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s8)
#define tinsmith_fully_connected_packed_deep_s8 TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_deep_s8)
#define tinsmith_fully_connected_small_s8 TINSMITH_NN_SYMBOL(tinsmith_fully_connected_small_s8)
#define tinsmith_convolve_s8 TINSMITH_NN_SYMBOL(tinsmith_convolve_s8)
#define tinsmith_depthwise_s8 TINSMITH_NN_SYMBOL(tinsmith_depthwise_s8)
#define tinsmith_convolve_packed_any_s8 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_any_s8)
#define tinsmith_convolve_packed_single_s8 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_single_s8)
#define tinsmith_convolve_packed_s4 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s4)
#define tinsmith_fully_connected_packed_s4 TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s4)
#define tinsmith_depthwise_packed_s4 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s4)
#define tinsmith_depthwise_packed_any_s4 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s4)
#define tinsmith_convolve_packed_offset_s8 TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_offset_s8)
#define tinsmith_depthwise_packed_any_s8 TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s8)
#define tinsmith_depthwise_pixels_s8 TINSMITH_NN_SYMBOL(tinsmith_depthwise_pixels_s8)
#define tinsmith_add_broadcast_s8 TINSMITH_NN_SYMBOL(tinsmith_add_broadcast_s8)
#define tinsmith_mul_broadcast_s8 TINSMITH_NN_SYMBOL(tinsmith_mul_broadcast_s8)
#define tinsmith_difference_broadcast_s8 TINSMITH_NN_SYMBOL(tinsmith_difference_broadcast_s8)
#define tinsmith_difference_s8 TINSMITH_NN_SYMBOL(tinsmith_difference_s8)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Convolution of any kernel size, stride, dilation and padding; no groups (filter_dims->c = input_dims->c).
 *
 * filter_data, with K = HK * WK * C_IN and k counting as in the public OHWI order:
 *  - C: for each group of 4 output channels, for each k, 4 bytes: the weights of the 4 channels. C_OUT is rounded up to
 *    a multiple of 4 with zeros. Size: roundup4(C_OUT) * K.
 *  - DSP: for each group of 4 output channels a, b, c, d and each block of 4 values of k, 16 bytes = 8 little-endian
 *    16-bit lanes. Lane (p, q)[k] = w[p][k] + 256 * w[q][k], whose low byte is w[p][k], in the order
 *        (a, b)[k]  (a, b)[k + 2]  (c, d)[k]  (c, d)[k + 2]  (a, b)[k + 1]  (a, b)[k + 3]  (c, d)[k + 1]  (c, d)[k + 3]
 *    C_OUT and K are rounded up to multiples of 4 with zeros. Size: roundup4(C_OUT) * roundup4(K).
 *  - MVE: as in arm_convolve_s8().
 *
 * @param[in,out] ctx          Scratch of tinsmith_convolve_packed_s8_get_buffer_size() bytes, 4-byte aligned. MVE: of
 * 1x1 with stride 1 fewer are enough, 3 * C_IN at least: ctx->size says how many pixels are copied at once where
 * outputs lie over them.
 * @param[in]     conv_params  As in arm_convolve_s8().
 * @param[in]     quant_params Folded.
 * @param[in]     input_dims   [N, H, W, C_IN]
 * @param[in]     input_data   int8
 * @param[in]     filter_dims  [C_OUT, HK, WK, C_IN]
 * @param[in]     filter_data  Arranged.
 * @param[in]     bias_data    Folded; not NULL.
 * @param[in]     output_dims  [N, H, W, C_OUT]
 * @param[out]    output_data  int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or the dims contradict.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data);

/**
 * The same for scales of any size: quant_params->shift is -(the public shift), from -30 to 22, and for every input
 * |accumulator| * 2^max(public shift, 0) is less than 2^30. Two instructions more per output. C and DSP only: with MVE
 * tinsmith_convolve_packed_s8() takes any shift.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_any_s8(const cmsis_nn_context *ctx,
                                                    const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                    const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                    int8_t *output_data);

/**
 * The same as either of the two above, of which it takes the arguments, one pixel at a time: in half the scratch but
 * for a window of bytes, tinsmith_convolve_packed_single_s8_get_buffer_size_dsp() bytes, and about 1.4 times the
 * instructions. DSP only.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_single_s8(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

/**
 * The same for weights to each of which one number is to be added, so that those with a zero point fit int8. It stands
 * behind the bias, whose folding counts it: bias[o] + input_offset * (sum over k of w[o][k] + the number). DSP and MVE.
 *
 * DSP: scales of any size as of tinsmith_convolve_packed_any_s8(). Scratch of tinsmith_convolve_packed_s8().
 * MVE: bias_data, quant_params and the rows of filter_data are C_OUT rounded up to a multiple of 4, what is missing 0
 * (shifts: -1). Scratch: one window unless windows are pixels of the input.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_offset_s8(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

int32_t tinsmith_convolve_packed_offset_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                               const cmsis_nn_dims *filter_dims);

/**
 * tinsmith_convolve_packed_s8() on weights of four bits, from -8 to 7, with half the bytes of them and not more
 * instructions in its loop.
 *
 * Plain C, filter_data: for each group of 4 output channels a, b, c, d and each two values of k, a little-endian word:
 * from its lowest bits on a[k] + 8, c[k] + 8, a[k + 1] + 8, c[k + 1] + 8, b[k] + 8, d[k] + 8, b[k + 1] + 8,
 * d[k + 1] + 8. C_OUT is rounded up to a multiple of 4 with zeros; what lies behind an odd K is not read. bias_data:
 * folded. Scratch is that of tinsmith_convolve_packed_s8().
 *
 * DSP, filter_data: for each group of 4 output channels a, b, c, d and each block of 4 values of k, 8 bytes = 4
 * little-endian 16-bit lanes, of k, k + 2, k + 1 and k + 3. Lane k = (a[k] + 8) + 16 * (b[k] + 8) + 256 * (c[k] + 8) +
 * 4096 * d[k]. C_OUT is rounded up to a multiple of 4 with zeros, K with bytes 0, so that lanes are 0. Size:
 * roundup4(C_OUT) * roundup4(K) / 2. bias_data: of each group of 4 channels with the folded biases A, B, C, D, modulo
 * 2^32: A + 16 B + 256 C + 4096 D,  A + 16 B + 256 C,  A + 16 B,  A
 *
 * What the arranger must have proved for DSP besides: |accumulator| < 2^19 for every fourth channel (d), and for every
 * third (c) |C| + 128 * (sum over k of c[k] + 8) < 2^23, for every second (b) the same < 2^27. Scratch is that of
 * tinsmith_convolve_packed_s8().
 *
 * MVE, filter_data: for each group of 4 output channels, their weights in the order of arm_convolve_s8(), 32 of them in
 * 16 bytes: byte j has w[j] in its lower half and w[j + 16] in its upper one. The last bytes of a group and of missing
 * channels are filled with zeros. bias_data: folded. Scratch: tinsmith_convolve_packed_s4_get_buffer_size_mve() bytes.
 */
arm_cmsis_nn_status tinsmith_convolve_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data);

int32_t tinsmith_convolve_packed_s4_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims);

/** Scratch of tinsmith_convolve_packed_s8() in bytes. */
int32_t tinsmith_convolve_packed_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims);
int32_t tinsmith_convolve_packed_s8_get_buffer_size_c(const cmsis_nn_conv_params *conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims);
int32_t tinsmith_convolve_packed_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims);
int32_t tinsmith_convolve_packed_single_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                               const cmsis_nn_dims *filter_dims);
int32_t tinsmith_convolve_packed_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims);

/**
 * Depthwise convolution of any kernel size, stride and padding, for ch_mult 1, dilation 1 and C >= 2.
 *
 * filter_data:
 *  - C and DSP: [C][HK][WK], and [C][WK][HK] when the input is taller than wide (input_dims->h > input_dims->w).
 *    Size: C * HK * WK. Kernels copy a channel's rows into a padded plane; they take the longer axis as the row.
 *  - MVE: as in arm_depthwise_conv_s8(), [1][HK][WK][C].
 *
 * @param[in,out] ctx            Scratch of tinsmith_depthwise_packed_s8_get_buffer_size() bytes, 4-byte aligned.
 * @param[in]     dw_conv_params As in arm_depthwise_conv_s8(), ch_mult 1, dilation 1.
 * @param[in]     quant_params   Folded.
 * @param[in]     input_dims     [N, H, W, C]
 * @param[in]     input_data     int8
 * @param[in]     filter_dims    [STRIP, HK, WK, C]; C and DSP: STRIP >= 1 is how many rows of the output are made at
 *                               once (columns, when the input is taller than wide): more want more scratch, fewer read
 *                               what windows share again more often. MVE: not read.
 * @param[in]     filter_data    Arranged.
 * @param[in]     bias_data      Folded; not NULL.
 * @param[in]     output_dims    [N, H, W, C]
 * @param[out]    output_data    int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or the parameters are not as above.
 */
arm_cmsis_nn_status tinsmith_depthwise_packed_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data);

/**
 * The same for scales of any size, as tinsmith_convolve_packed_any_s8(), and for any ch_mult: filter_data, bias_data
 * and quant_params have C * ch_mult channels, output_dims too. Scratch is the same. C and DSP only.
 */
arm_cmsis_nn_status tinsmith_depthwise_packed_any_s8(const cmsis_nn_context *ctx,
                                                     const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                                     const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                     const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                     int8_t *output_data);

/**
 * The same by 3x3 taps, a line of outputs at a time from a ring of three lines, so that little scratch is wanted and
 * outputs may lie over the lines that they are made of. Scratch:
 * tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve(). MVE only.
 */
arm_cmsis_nn_status tinsmith_depthwise_packed_3x3_s8(const cmsis_nn_context *ctx,
                                                     const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                                     const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                     const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                     int8_t *output_data);

/**
 * tinsmith_depthwise_packed_s8() on weights of four bits, from -8 to 7, which become bytes in scratch first; with MVE,
 * windows of 3x3 are those of tinsmith_depthwise_packed_3x3_s8().
 *
 * filter_data: of each 8 weights, in the order of that function, 4 bytes: byte j is (w[j] + 8) + 16 * (w[j + 4] + 8).
 * The last 8 are filled with any weights.
 *
 * Scratch: tinsmith_packed_s4_get_weights_size() bytes in front of those of that function.
 */
arm_cmsis_nn_status tinsmith_depthwise_packed_s4(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data);

/** The same of tinsmith_depthwise_packed_any_s8(). C and DSP only. */
arm_cmsis_nn_status tinsmith_depthwise_packed_any_s4(const cmsis_nn_context *ctx,
                                                     const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                                     const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                     const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                     int8_t *output_data);

/** Bytes of scratch that weights of a depthwise convolution take: 1 each, rounded up to a multiple of 16. */
int32_t tinsmith_packed_s4_get_weights_size(const cmsis_nn_dims *filter_dims);

/** Scratch of tinsmith_depthwise_packed_s8() in bytes. */
int32_t tinsmith_depthwise_packed_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims);
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_c(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims);
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims);
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims);

/** Scratch of tinsmith_depthwise_packed_3x3_s8() in bytes. */
int32_t tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_dims *input_dims,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const cmsis_nn_dims *output_dims);

/**
 * Depthwise convolution pixel by pixel on the input where it lies, of any kernel size, stride, padding, dilation and
 * scale, for ch_mult 1; C and DSP: C >= 4. For few windows, or such that are far apart or dilated, and for weights that
 * do not fit int8: those that have a zero point, which is subtracted ahead of time.
 *
 * filter_data: int16 in little-endian order, for each block of channels, for each tap (row by row), the channels'
 * weights.
 *  - C and DSP: blocks of 4. The last one has channels of the one before again if C is no multiple of 4. DSP: of a
 * block, channels 0, 2, 1, 3.
 *  - MVE: blocks of 8, zeros for missing channels.
 *
 * @param[in,out] ctx            Scratch of tinsmith_depthwise_pixels_s8_get_buffer_size() bytes, 4-byte aligned.
 * @param[in]     dw_conv_params As in arm_depthwise_conv_s8(), ch_mult 1.
 * @param[in]     quant_params   C and DSP: folded, as of tinsmith_depthwise_packed_any_s8(). MVE: as in
 *                               arm_nnfunctions.h, C rounded up to a multiple of 8.
 * @param[in]     input_dims     [N, H, W, C]
 * @param[in]     input_data     int8
 * @param[in]     filter_dims    [1, HK, WK, C]
 * @param[in]     filter_data    Arranged.
 * @param[in]     bias_data      Folded; not NULL. MVE: C rounded up to a multiple of 8.
 * @param[in]     output_dims    [N, H, W, C]
 * @param[out]    output_data    int8
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or the parameters are not as above.
 */
arm_cmsis_nn_status tinsmith_depthwise_pixels_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data);

/** Scratch of tinsmith_depthwise_pixels_s8() in bytes, the same in each implementation: a list of taps, sums. */
int32_t tinsmith_depthwise_pixels_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);

/**
 * Fully connected layer, filter_offset 0.
 *
 * filter_data:
 *  - C and DSP: as tinsmith_convolve_packed_s8() with K = filter_dims->n.
 *  - MVE: for each group of 6 output channels (the last group may have fewer), for each block of 16 values of k, 16
 *    bytes of each of its channels. K is rounded up to a multiple of 16 with zeros. Size: C_OUT * roundup16(K).
 *
 * @param[in,out] ctx          Scratch of tinsmith_fully_connected_packed_s8_get_buffer_size() bytes.
 * @param[in]     fc_params    As in arm_fully_connected_s8(), filter_offset 0.
 * @param[in]     quant_params Folded: one value if is_per_channel is 0, else one per output.
 * @param[in]     input_dims   [N, H, W, C_IN]
 * @param[in]     input_data   int8
 * @param[in]     filter_dims  n = H * W * C_IN, c = C_OUT
 * @param[in]     filter_data  Arranged.
 * @param[in]     bias_data    Folded; not NULL.
 * @param[in]     output_dims  n = N, c = C_OUT
 * @param[out]    output_data  int8, [N, C_OUT]
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR for another filter_offset or missing scratch.
 */
arm_cmsis_nn_status tinsmith_fully_connected_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

/** The same for weights of any sum: of those of odd output channels it may be 2^16 and more. DSP only: the others have
 * no such limit. */
arm_cmsis_nn_status tinsmith_fully_connected_packed_deep_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/** The same for few weights, without scratch. MVE only.
 *
 * filter_data: for each group of 4 output channels, for each block of 16 values of k, 16 bytes of each of its channels.
 * C_OUT is rounded up to a multiple of 4, K to one of 16, with zeros. bias_data has as many channels, and so have
 * multiplier and shift, or four copies of the one value.
 */
arm_cmsis_nn_status tinsmith_fully_connected_small_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                      const cmsis_nn_quant_params *quant_params,
                                                      const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                      const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                      const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                      int8_t *output_data);

/**
 * tinsmith_fully_connected_packed_s8() on weights of four bits, from -8 to 7, for scales of any size: C and DSP, as of
 * tinsmith_convolve_packed_any_s8(). Without scratch.
 *
 * filter_data, and bias_data:
 *  - Plain C, DSP: as of tinsmith_convolve_packed_s4() with K = filter_dims->n, with the same bounds.
 *  - MVE: for each 3 pairs (a, b) of output channels, for each block of 16 values of k, 16 bytes of each pair, a + 16 *
 * b; then the same of each pair that is left. K is rounded up to a multiple of 16 and C_OUT to one of 2, with zeros.
 *    bias_data: of each pair with the folded biases A and B, modulo 2^32, A + 16 B and 16 A. What the arranger must
 * have proved: no b is -8 where a is negative; 17 * |accumulator| < 2^31.
 */
arm_cmsis_nn_status tinsmith_fully_connected_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data);

/** Scratch of tinsmith_fully_connected_packed_s8() in bytes. */
int32_t tinsmith_fully_connected_packed_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);
int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_c(const cmsis_nn_dims *filter_dims);
int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);
int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

/** How the smaller operand of a sum, difference or product repeats: element (a, b, c) of the result, which has
 * [outer][count][inner] elements, takes its element b. The larger operand has the shape of the result. */
typedef struct {
  int32_t outer;
  int32_t count; /* elements of the smaller operand */
  int32_t inner;
} tinsmith_repetition;

/** The numbers of arm_elementwise_add_s8(). */
typedef struct {
  int32_t larger_offset;
  int32_t larger_multiplier;
  int32_t larger_shift;
  int32_t smaller_offset;
  int32_t smaller_multiplier;
  int32_t smaller_shift;
  int32_t left_shift;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  cmsis_nn_activation activation;
} tinsmith_add_params;

/** The numbers of arm_elementwise_mul_s8(). */
typedef struct {
  int32_t larger_offset;
  int32_t smaller_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  cmsis_nn_activation activation;
} tinsmith_mul_params;

/** Elements of the smaller operand that are written out at once. */
#define TINSMITH_BROADCAST_PIECE 256

/**
 * Sum of a tensor and one whose elements repeat. The output may be the larger operand.
 *
 * @param[in,out] ctx        Scratch of tinsmith_broadcast_s8_get_buffer_size() bytes, at any address.
 * @param[in]     params     As arm_elementwise_add_s8() takes them, the larger operand being its first.
 * @param[in]     repetition All members 1 or more.
 * @param[in]     larger     int8, outer * count * inner elements
 * @param[in]     smaller    int8, count elements
 * @param[out]    output     int8, outer * count * inner elements
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when scratch is missing or there is no element.
 */
arm_cmsis_nn_status tinsmith_add_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_add_params *params,
                                              const tinsmith_repetition *repetition, const int8_t *larger,
                                              const int8_t *smaller, int8_t *output);

/** The product, of the same arguments; params as arm_elementwise_mul_s8() takes them. */
arm_cmsis_nn_status tinsmith_mul_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_mul_params *params,
                                              const tinsmith_repetition *repetition, const int8_t *larger,
                                              const int8_t *smaller, int8_t *output);

/**
 * A difference as TFLite computes it: both operands less their zero points times 2^20, rescaled by half of what their
 * scales are of the larger one. So one of them is only shifted, and its sign is a part of that. All of it twice, for
 * high multiplications that do not double.
 */
typedef struct {
  int32_t shifted_unit;       /**< 2^20 if it is what the other is taken from, else -2^20. */
  int32_t shifted_start;      /**< -(zero point) * unit, and 2 more if the other is subtracted. */
  int32_t scaled_unit;        /**< 2^21; of equal scales 2^22. */
  int32_t scaled_start;       /**< -(zero point) * unit */
  int32_t scaled_multiplier;  /**< [2^30, 2^31) */
  int32_t scaled_right;       /**< What the other is divided by, as a power of 2: [1, 22]. */
  int32_t scaled_flip;        /**< -1 if the other is subtracted, else 0. */
  int32_t multiplier;         /**< Of the result: [2^30, 2^31), */
  int32_t right;              /**< [1, 22], */
  int32_t half;               /**< (zero point) * 2^right + 2^(right - 1) */
  int32_t smaller_is_shifted; /**< Read by tinsmith_difference_broadcast_s8() alone: which is the larger operand. */
  cmsis_nn_activation activation;
} tinsmith_difference_params;

/**
 * Difference of two tensors of one shape.
 *
 * @param[in]  params   Arranged: tinsmith_cmsis_nn.difference.
 * @param[in]  shifted  int8, the operand of larger scale.
 * @param[in]  scaled   int8, the other one.
 * @param[out] output   int8. It may be one of them.
 * @param[in]  elements Of each, 0 or more.
 */
void tinsmith_difference_s8(const tinsmith_difference_params *params, const int8_t *shifted, const int8_t *scaled,
                            int8_t *output, int32_t elements);

/** Difference of a tensor and one whose elements repeat, either way round; arguments as of the sum. */
arm_cmsis_nn_status tinsmith_difference_broadcast_s8(const cmsis_nn_context *ctx,
                                                     const tinsmith_difference_params *params,
                                                     const tinsmith_repetition *repetition, const int8_t *larger,
                                                     const int8_t *smaller, int8_t *output);

/** Scratch of the three in bytes: a piece of the smaller operand, written out. */
int32_t tinsmith_broadcast_s8_get_buffer_size(const tinsmith_repetition *repetition);

/** arm_convolve_wrapper_s8() of this implementation and version: for callers whose scratch was sized ahead of time. */
arm_cmsis_nn_status tinsmith_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data);

/** arm_depthwise_conv_wrapper_s8() of this implementation and version: for callers whose scratch was sized ahead of
 * time. */
arm_cmsis_nn_status tinsmith_depthwise_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_H */
