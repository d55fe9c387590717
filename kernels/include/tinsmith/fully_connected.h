// Matrix times vector, once per batch, in plain C.
#ifndef TINSMITH_FULLY_CONNECTED_H_
#define TINSMITH_FULLY_CONNECTED_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_fully_connected_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8)
#define tinsmith_fully_connected_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s16)
#define tinsmith_fully_connected_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_f32)
#define tinsmith_fully_connected_s8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_s32)
#define tinsmith_fully_connected_s16_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s16_s32)
#define tinsmith_fully_connected_s16_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s16_s64)
#define tinsmith_fully_connected_s8_asymmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_asymmetric)
#define tinsmith_fully_connected_s8_s32_asymmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_s32_asymmetric)

#ifdef __cplusplus
extern "C" {
#endif

/** Every size is at least 1. */
typedef struct {
  int32_t batches;
  /** Elements of one input vector. */
  int32_t depth;
  /** Elements of one output vector. */
  int32_t units;
} tinsmith_fully_connected_shape;

/**
 * output = clamp(scale(weights * input + bias)), int8 by int8, accumulated in int32.
 *
 * @param[in] shape   sizes
 * @param[in] stage   how accumulators become outputs; |sum of products| + |bias| stays below 2**31
 * @param[in] input   (batches, depth)
 * @param[in] weights (units, depth), symmetric: zero point 0
 * @param[in] bias    (units), or NULL for zeros
 * @param[out] output (batches, units); does not overlap the input
 */
void tinsmith_fully_connected_s8(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                 const int8_t *input, const int8_t *weights, const int32_t *bias, int8_t *output);

/**
 * int16 by int8. As TFLite does it: with a bias, accumulated in int64 and scaled by a multiplier reduced to 15 bits;
 * without (NULL), accumulated in int32 and scaled as int8 is.
 */
void tinsmith_fully_connected_s16(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                  const int16_t *input, const int8_t *weights, const int32_t *bias, int16_t *output);

/** The same in float: products are added in the order of depth, then the bias, without fused operations. */
void tinsmith_fully_connected_f32(const tinsmith_fully_connected_shape *shape, const tinsmith_clamp_f32 *clamp,
                                  const float *input, const float *weights, const float *bias, float *output);

/**
 * The sums alone, with bias and neither scaled nor clamped, so that sums over parts of the depth can be added;
 * tinsmith_requantize_sums_* ends them. input_offset is minus the input's zero point. Of int32 the low 32 bits are
 * kept.
 */
void tinsmith_fully_connected_s8_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                     const int8_t *input, const int8_t *weights, const int32_t *bias, int32_t *output);
void tinsmith_fully_connected_s16_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                      const int16_t *input, const int8_t *weights, const int32_t *bias,
                                      int32_t *output);
void tinsmith_fully_connected_s16_s64(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                      const int16_t *input, const int8_t *weights, const int32_t *bias,
                                      int64_t *output);

/** The same with weights of any zero point: weights_offset, minus that, is added to each. */
void tinsmith_fully_connected_s8_asymmetric(const tinsmith_fully_connected_shape *shape,
                                            const tinsmith_output_stage *stage, int32_t weights_offset,
                                            const int8_t *input, const int8_t *weights, const int32_t *bias,
                                            int8_t *output);
void tinsmith_fully_connected_s8_s32_asymmetric(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                                int32_t weights_offset, const int8_t *input, const int8_t *weights,
                                                const int32_t *bias, int32_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_FULLY_CONNECTED_H_
