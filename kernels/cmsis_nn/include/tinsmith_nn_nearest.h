/* The functions of tinsmith_nn.h for layers that round once: an accumulator becomes
 *     floor((accumulator * multiplier + 2^(s - 1)) / 2^s) + zero point, s = 31 - (public shift),
 * to nearest with halves up, where TFLite's have two roundings. It is fewer instructions on every core.
 *
 * Of convolutions, depthwise convolutions and fully connected layers, arguments and scratch are those of the function
 * without `_nearest`, arranged alike. What the arranger must have proved besides: where a public shift is 0 or more,
 * |accumulator| * 2^(public shift + 1) is less than 2^30 for every input, with MVE too.
 */
#ifndef TINSMITH_NN_NEAREST_H
#define TINSMITH_NN_NEAREST_H

#include "tinsmith_nn.h"
#include "tinsmith_nn_rescaling.h"

#define tinsmith_convolve_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s8_nearest)
#define tinsmith_convolve_packed_any_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_any_s8_nearest)
#define tinsmith_convolve_packed_single_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_single_s8_nearest)
#define tinsmith_convolve_packed_s4_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_s4_nearest)
#define tinsmith_fully_connected_packed_s4_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s4_nearest)
#define tinsmith_depthwise_packed_s4_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s4_nearest)
#define tinsmith_depthwise_packed_any_s4_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s4_nearest)
#define tinsmith_convolve_packed_offset_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_packed_offset_s8_nearest)
#define tinsmith_depthwise_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_s8_nearest)
#define tinsmith_depthwise_packed_3x3_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_3x3_s8_nearest)
#define tinsmith_depthwise_packed_any_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_packed_any_s8_nearest)
#define tinsmith_depthwise_pixels_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_pixels_s8_nearest)
#define tinsmith_fully_connected_packed_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_s8_nearest)
#define tinsmith_fully_connected_packed_deep_s8_nearest \
  TINSMITH_NN_SYMBOL(tinsmith_fully_connected_packed_deep_s8_nearest)
#define tinsmith_fully_connected_small_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_fully_connected_small_s8_nearest)
#define tinsmith_convolve_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_convolve_s8_nearest)
#define tinsmith_depthwise_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_depthwise_s8_nearest)
#define tinsmith_mean_columns_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s8_nearest)
#define tinsmith_mean_columns_s16_nearest TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s16_nearest)
#define tinsmith_rescale_s8_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_s8_nearest)
#define tinsmith_rescale_s8_u8_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_u8_nearest)
#define tinsmith_rescale_s8_s16_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_s16_nearest)
#define tinsmith_rescale_u8_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_u8_s8_nearest)
#define tinsmith_rescale_s16_s8_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_s16_s8_nearest)
#define tinsmith_rescale_s16_s16_nearest TINSMITH_NN_SYMBOL(tinsmith_rescale_s16_s16_nearest)
#define tinsmith_average_pool_even_s8 TINSMITH_NN_SYMBOL(tinsmith_average_pool_even_s8)
#define tinsmith_weighted_sum_s8 TINSMITH_NN_SYMBOL(tinsmith_weighted_sum_s8)
#define tinsmith_weighted_sum_broadcast_s8 TINSMITH_NN_SYMBOL(tinsmith_weighted_sum_broadcast_s8)
#define tinsmith_product_s8 TINSMITH_NN_SYMBOL(tinsmith_product_s8)
#define tinsmith_product_broadcast_s8 TINSMITH_NN_SYMBOL(tinsmith_product_broadcast_s8)

#ifdef __cplusplus
extern "C" {
#endif

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
arm_cmsis_nn_status tinsmith_convolve_packed_single_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
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
arm_cmsis_nn_status tinsmith_depthwise_packed_3x3_s8_nearest(const cmsis_nn_context *ctx,
                                                             const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const int8_t *filter_data, const int32_t *bias_data,
                                                             const cmsis_nn_dims *output_dims, int8_t *output_data);
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
arm_cmsis_nn_status tinsmith_convolve_packed_s4_nearest(const cmsis_nn_context *ctx,
                                                        const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                        const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                        int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_s4_nearest(const cmsis_nn_context *ctx,
                                                         const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                         const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                         int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_packed_any_s4_nearest(const cmsis_nn_context *ctx,
                                                             const cmsis_nn_dw_conv_params *dw_conv_params,
                                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const int8_t *filter_data, const int32_t *bias_data,
                                                             const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_fully_connected_packed_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_fully_connected_packed_s4_nearest(
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

/** Of any weights, in the order of arm_nnfunctions.h: the wrappers, and fully connected. Of scales of 0.5 and more,
 * |accumulator| * 2^(shift + 1) is less than 2^30 for every input. */
arm_cmsis_nn_status tinsmith_convolve_s8_nearest(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                 const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status tinsmith_depthwise_s8_nearest(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_fully_connected_s8_nearest(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                   const cmsis_nn_per_tensor_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_fully_connected_per_channel_s8_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/** As arm_batch_matmul_s8(). Of scales of 0.5 and more, |accumulator| * 2^(shift + 1) is less than 2^30. */
arm_cmsis_nn_status arm_batch_matmul_s8_nearest(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
                                                const cmsis_nn_per_tensor_quant_params *quant_params,
                                                const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
                                                const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
                                                const cmsis_nn_dims *output_dims, int8_t *output);

/** What means are kept to, and the zero point of input and output. */
typedef struct {
  int32_t min;
  int32_t max;
  int32_t zero_point;
} tinsmith_average_range;

/** As cmsis_nn_pool_params. */
typedef struct {
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  tinsmith_average_range activation;
} tinsmith_average_pool_params;

/** As arm_avgpool_s8(), but halves go to the even integer before the zero point is added. */
arm_cmsis_nn_status tinsmith_average_pool_even_s8(const tinsmith_average_pool_params *params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                                  int8_t *output_data);

/** Means and sums as of tinsmith_nn_rescaling.h. With a shift of 0 or more, |sum + offset| * 2^(shift + 1) is below
 * 2^31. */
void tinsmith_mean_columns_s8_nearest(const tinsmith_columns_params *params, const int8_t *input, int8_t *output);
void tinsmith_mean_columns_s16_nearest(const tinsmith_columns_params *params, const int16_t *input, int16_t *output);

/** Values of one scale as such of another, as of tinsmith_nn_rescaling.h: value -> value * unit + start -> times
 * multiplier * 2^-32, rounded down -> plus half, by 2^right, rounded down. So right is at least 1, and where less is
 * to be divided by, left is one more. */
void tinsmith_rescale_s8_s8_nearest(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                                    int8_t *output);
void tinsmith_rescale_s8_u8_nearest(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                                    uint8_t *output);
void tinsmith_rescale_s8_s16_nearest(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                                     int16_t *output);
void tinsmith_rescale_u8_s8_nearest(const tinsmith_rescale_params *params, int32_t elements, const uint8_t *input,
                                    int8_t *output);
void tinsmith_rescale_s16_s8_nearest(const tinsmith_rescale_params *params, int32_t elements, const int16_t *input,
                                     int8_t *output);
void tinsmith_rescale_s16_s16_nearest(const tinsmith_rescale_params *params, int32_t elements, const int16_t *input,
                                      int16_t *output);

/**
 * A sum or difference: lhs * multiplier + rhs * multiplier, plus a start, by 2^(16 + right), rounded down. Multipliers
 * are high * 2^16 + low with |high| <= 2^15 and low in [0, 2^16), so that nothing has more than 32 bits.
 */
typedef struct {
  int32_t lhs_high;
  int32_t lhs_low;
  int32_t rhs_high;
  int32_t rhs_low;
  int32_t start_high; /**< Zero points of all three and the rounding's half, times what they would meet, */
  int32_t start_low;  /**< as a multiplier is split. */
  int32_t right;      /**< [0, 22] */
  cmsis_nn_activation activation;
} tinsmith_weighted_sum_params;

/**
 * @param[in]  params   Arranged: tinsmith_cmsis_nn.weighted.
 * @param[in]  lhs      int8
 * @param[in]  rhs      int8
 * @param[out] output   int8. It may be one of them.
 * @param[in]  elements Of each, 0 or more.
 */
void tinsmith_weighted_sum_s8(const tinsmith_weighted_sum_params *params, const int8_t *lhs, const int8_t *rhs,
                              int8_t *output, int32_t elements);

/** The same of a tensor, lhs, and one whose elements repeat; arguments as of tinsmith_add_broadcast_s8(). */
arm_cmsis_nn_status tinsmith_weighted_sum_broadcast_s8(const cmsis_nn_context *ctx,
                                                       const tinsmith_weighted_sum_params *params,
                                                       const tinsmith_repetition *repetition, const int8_t *larger,
                                                       const int8_t *smaller, int8_t *output);

/** A product: (lhs * unit + start) * (rhs + offset), times multiplier * 2^-32, rounded down; plus half, by 2^right,
 * rounded down. */
typedef struct {
  int32_t lhs_unit;   /**< 2^(left + 1), left in [0, 14]; left - right is the public shift. */
  int32_t lhs_start;  /**< -(zero point of lhs) * unit */
  int32_t rhs_offset; /**< -(zero point of rhs) */
  int32_t multiplier; /**< [0, 2^31) */
  int32_t right;      /**< [1, 22] */
  int32_t half;       /**< (zero point of the output) * 2^right + 2^(right - 1) */
  cmsis_nn_activation activation;
} tinsmith_product_params;

/** Arguments as of tinsmith_weighted_sum_s8(). */
void tinsmith_product_s8(const tinsmith_product_params *params, const int8_t *lhs, const int8_t *rhs, int8_t *output,
                         int32_t elements);

/** The same of a tensor, lhs, and one whose elements repeat. */
arm_cmsis_nn_status tinsmith_product_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_product_params *params,
                                                  const tinsmith_repetition *repetition, const int8_t *larger,
                                                  const int8_t *smaller, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_NEAREST_H */
