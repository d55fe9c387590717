// Convolutions in plain C. Activations are NHWC, weights OHWI; there is no padding in memory: taps outside of the input
// count as the real number zero.
#ifndef TINSMITH_CONVOLUTION_H_
#define TINSMITH_CONVOLUTION_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_conv2d_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8)
#define tinsmith_conv2d_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s16)
#define tinsmith_conv2d_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_f32)
#define tinsmith_depthwise_conv2d_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8)
#define tinsmith_depthwise_conv2d_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s16)
#define tinsmith_depthwise_conv2d_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_f32)
#define tinsmith_conv2d_s8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_s32)
#define tinsmith_conv2d_s16_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s16_s32)
#define tinsmith_conv2d_s16_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s16_s64)
#define tinsmith_depthwise_conv2d_s8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_s32)
#define tinsmith_depthwise_conv2d_s16_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s16_s32)
#define tinsmith_depthwise_conv2d_s16_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s16_s64)
#define tinsmith_conv2d_s8_asymmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_asymmetric)
#define tinsmith_conv2d_s8_s32_asymmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_s32_asymmetric)
#define tinsmith_depthwise_conv2d_s8_asymmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_asymmetric)
#define tinsmith_depthwise_conv2d_s8_s32_asymmetric \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_s32_asymmetric)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Geometry of a two-dimensional convolution or depthwise convolution. Every size is at least 1, every product of
 * sizes of one tensor is below 2**31.
 */
typedef struct {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t input_channels;
  int32_t output_height;
  int32_t output_width;
  int32_t output_channels;
  int32_t kernel_height;
  int32_t kernel_width;
  /** Conv2D: divides both channel counts. Depthwise: equal to input_channels. */
  int32_t groups;
  int32_t stride_height;
  int32_t stride_width;
  int32_t dilation_height;
  int32_t dilation_width;
  int32_t padding_top;
  int32_t padding_left;
} tinsmith_conv2d_shape;

/**
 * Grouped convolution of int8 by int8, accumulated in int32.
 *
 * @param[in] shape   geometry; weights are (output_channels, kernel_height, kernel_width, input_channels / groups)
 * @param[in] stage   how accumulators become outputs; |sum of products| + |bias| stays below 2**31
 * @param[in] input   (batches, input_height, input_width, input_channels)
 * @param[in] weights symmetric: zero point 0
 * @param[in] bias    (output_channels), or NULL for zeros
 * @param[out] output (batches, output_height, output_width, output_channels); does not overlap the input
 */
void tinsmith_conv2d_s8(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int8_t *input,
                        const int8_t *weights, const int32_t *bias, int8_t *output);

/** int16 by int8, accumulated in int64; the multiplier is reduced to 15 bits, as TFLite does for int16. */
void tinsmith_conv2d_s16(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int16_t *input,
                         const int8_t *weights, const int32_t *bias, int16_t *output);

/** The same in float: products are added in the order (ky, kx, channel), then the bias, without fused operations. */
void tinsmith_conv2d_f32(const tinsmith_conv2d_shape *shape, const tinsmith_clamp_f32 *clamp, const float *input,
                         const float *weights, const float *bias, float *output);

/**
 * Depthwise convolution of int8 by int8: output channel c * multiplier + m reads input channel c, where
 * multiplier = output_channels / input_channels.
 *
 * @param[in] shape   geometry; weights are (1, kernel_height, kernel_width, output_channels)
 * @param[in] stage   as in tinsmith_conv2d_s8
 * @param[in] input   (batches, input_height, input_width, input_channels)
 * @param[in] weights symmetric: zero point 0
 * @param[in] bias    (output_channels), or NULL for zeros
 * @param[out] output (batches, output_height, output_width, output_channels); does not overlap the input
 */
void tinsmith_depthwise_conv2d_s8(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                  const int8_t *input, const int8_t *weights, const int32_t *bias, int8_t *output);

/** int16 by int8, accumulated in int64; the multiplier is reduced to 15 bits, as TFLite does for int16. */
void tinsmith_depthwise_conv2d_s16(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                   const int16_t *input, const int8_t *weights, const int32_t *bias, int16_t *output);

/** The same in float: products are added in the order (ky, kx), then the bias, without fused operations. */
void tinsmith_depthwise_conv2d_f32(const tinsmith_conv2d_shape *shape, const tinsmith_clamp_f32 *clamp,
                                   const float *input, const float *weights, const float *bias, float *output);

/**
 * The sums alone, with bias and neither scaled nor clamped, so that sums over parts of the input channels can be added;
 * tinsmith_requantize_sums_* ends them. input_offset is minus the input's zero point. Of int32 the low 32 bits are
 * kept.
 */
void tinsmith_conv2d_s8_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int8_t *input,
                            const int8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_conv2d_s16_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int16_t *input,
                             const int8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_conv2d_s16_s64(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int16_t *input,
                             const int8_t *weights, const int32_t *bias, int64_t *output);
void tinsmith_depthwise_conv2d_s8_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int8_t *input,
                                      const int8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_depthwise_conv2d_s16_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int16_t *input,
                                       const int8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_depthwise_conv2d_s16_s64(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int16_t *input,
                                       const int8_t *weights, const int32_t *bias, int64_t *output);

/** The same with weights of any zero point: weights_offset, minus that, is added to each. */
void tinsmith_conv2d_s8_asymmetric(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                   int32_t weights_offset, const int8_t *input, const int8_t *weights,
                                   const int32_t *bias, int8_t *output);
void tinsmith_conv2d_s8_s32_asymmetric(const tinsmith_conv2d_shape *shape, int32_t input_offset, int32_t weights_offset,
                                       const int8_t *input, const int8_t *weights, const int32_t *bias,
                                       int32_t *output);
void tinsmith_depthwise_conv2d_s8_asymmetric(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                             int32_t weights_offset, const int8_t *input, const int8_t *weights,
                                             const int32_t *bias, int8_t *output);
void tinsmith_depthwise_conv2d_s8_s32_asymmetric(const tinsmith_conv2d_shape *shape, int32_t input_offset,
                                                 int32_t weights_offset, const int8_t *input, const int8_t *weights,
                                                 const int32_t *bias, int32_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_CONVOLUTION_H_
