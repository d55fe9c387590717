// Matrix of weights of few bits, whose blocks have multipliers, times vector of int8, once per batch, in plain C.
#ifndef TINSMITH_BLOCKWISE_H_
#define TINSMITH_BLOCKWISE_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_blockwise_fully_connected_s4 TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s4)
#define tinsmith_blockwise_fully_connected_s4_nearest \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s4_nearest)
#define tinsmith_blockwise_fully_connected_s4_floor \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s4_floor)
#define tinsmith_blockwise_fully_connected_s2 TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s2)
#define tinsmith_blockwise_fully_connected_s2_nearest \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s2_nearest)
#define tinsmith_blockwise_fully_connected_s2_floor \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_blockwise_fully_connected_s2_floor)

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
  /** Elements of the input that share a multiplier; the last block of a vector has what is left. */
  int32_t block;
} tinsmith_blockwise_fully_connected_shape;

/**
 * output = clamp(scale(bias + sum over blocks of multiplier * (weights * input))), accumulated in int32.
 *
 * @param[in] shape   sizes
 * @param[in] stage   how accumulators become outputs; |sum of products| + |bias| stays below 2**31
 * @param[in] input   (batches, depth)
 * @param[in] weights (units, depth), symmetric: zero point 0; of four bits two to a byte, of two bits four, the first
 *                    in the lowest bits, without gaps
 * @param[in] bias    (units), or NULL for zeros
 * @param[in] blocks  (units, depth / block rounded up): the multiplier of each block
 * @param[out] output (batches, units); does not overlap the input
 */
void tinsmith_blockwise_fully_connected_s4(const tinsmith_blockwise_fully_connected_shape *shape,
                                           const tinsmith_output_stage *stage, const int8_t *input,
                                           const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                           int8_t *output);
void tinsmith_blockwise_fully_connected_s2(const tinsmith_blockwise_fully_connected_shape *shape,
                                           const tinsmith_output_stage *stage, const int8_t *input,
                                           const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                           int8_t *output);

/** The same, rounded once, to nearest or down. */
void tinsmith_blockwise_fully_connected_s4_nearest(const tinsmith_blockwise_fully_connected_shape *shape,
                                                   const tinsmith_output_stage *stage, const int8_t *input,
                                                   const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                                   int8_t *output);
void tinsmith_blockwise_fully_connected_s4_floor(const tinsmith_blockwise_fully_connected_shape *shape,
                                                 const tinsmith_output_stage *stage, const int8_t *input,
                                                 const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                                 int8_t *output);
void tinsmith_blockwise_fully_connected_s2_nearest(const tinsmith_blockwise_fully_connected_shape *shape,
                                                   const tinsmith_output_stage *stage, const int8_t *input,
                                                   const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                                   int8_t *output);
void tinsmith_blockwise_fully_connected_s2_floor(const tinsmith_blockwise_fully_connected_shape *shape,
                                                 const tinsmith_output_stage *stage, const int8_t *input,
                                                 const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                                                 int8_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_BLOCKWISE_H_
