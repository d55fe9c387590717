// Layers of int8 with weights of two bits, in plain C: each as the one of the same name with s8 instead of s2
// (convolution.h, fully_connected.h, rounding.h), but for its weights. These are integers in [-2, 1], symmetric, four
// to a byte: the first in the lowest bits. They have no gaps, so that a row may end inside a byte.
#ifndef TINSMITH_TWO_BITS_H_
#define TINSMITH_TWO_BITS_H_

#include <stdint.h>

#include "tinsmith/convolution.h"
#include "tinsmith/fully_connected.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_conv2d_s2 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s2)
#define tinsmith_conv2d_s2_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s2_nearest)
#define tinsmith_conv2d_s2_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s2_floor)
#define tinsmith_conv2d_s2_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s2_s32)
#define tinsmith_depthwise_conv2d_s2 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s2)
#define tinsmith_depthwise_conv2d_s2_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s2_nearest)
#define tinsmith_depthwise_conv2d_s2_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s2_floor)
#define tinsmith_depthwise_conv2d_s2_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s2_s32)
#define tinsmith_fully_connected_s2 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s2)
#define tinsmith_fully_connected_s2_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s2_nearest)
#define tinsmith_fully_connected_s2_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s2_floor)
#define tinsmith_fully_connected_s2_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s2_s32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * output = clamp(scale(weights * input + bias)), accumulated in int32.
 *
 * @param[in] shape   geometry
 * @param[in] stage   how accumulators become outputs; |sum of products| + |bias| stays below 2**31
 * @param[in] input   as the kernel of int8
 * @param[in] weights four to a byte, as many as the kernel of int8 has
 * @param[in] bias    one for each output channel, or NULL for zeros
 * @param[out] output as the kernel of int8; does not overlap the input
 */
void tinsmith_conv2d_s2(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int8_t *input,
                        const uint8_t *weights, const int32_t *bias, int8_t *output);
void tinsmith_depthwise_conv2d_s2(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                  const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output);
void tinsmith_fully_connected_s2(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                 const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output);

/** The same, rounded once, to nearest or down. */
void tinsmith_conv2d_s2_nearest(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output);
void tinsmith_conv2d_s2_floor(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                              const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output);
void tinsmith_depthwise_conv2d_s2_nearest(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                          const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                          int8_t *output);
void tinsmith_depthwise_conv2d_s2_floor(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                                        const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                        int8_t *output);
void tinsmith_fully_connected_s2_nearest(const tinsmith_fully_connected_shape *shape,
                                         const tinsmith_output_stage *stage, const int8_t *input,
                                         const uint8_t *weights, const int32_t *bias, int8_t *output);
void tinsmith_fully_connected_s2_floor(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                       const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                       int8_t *output);

/** The sums alone, with bias; input_offset is minus the input's zero point. The low 32 bits are kept. */
void tinsmith_conv2d_s2_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int8_t *input,
                            const uint8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_depthwise_conv2d_s2_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int8_t *input,
                                      const uint8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_fully_connected_s2_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                     const int8_t *input, const uint8_t *weights, const int32_t *bias, int32_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_TWO_BITS_H_
