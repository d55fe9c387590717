// The largest elements of each row, in their order.
#ifndef TINSMITH_RANKING_H_
#define TINSMITH_RANKING_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_top_k_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_s8)
#define tinsmith_top_k_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_s16)
#define tinsmith_top_k_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_s32)
#define tinsmith_top_k_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_f32)
#define tinsmith_top_k_indices_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_indices_s8)
#define tinsmith_top_k_indices_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_indices_s16)
#define tinsmith_top_k_indices_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_indices_s32)
#define tinsmith_top_k_indices_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_top_k_indices_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Every size is at least 1. */
typedef struct {
  int32_t rows;
  /** Elements of a row of the input. */
  int32_t depth;
  /** Elements of a row of the result, at most depth. */
  int32_t count;
} tinsmith_ranking_shape;

/**
 * The largest elements of each row, the largest first; of equal ones the first in the row. NaN comes behind all others.
 * Takes rows * depth * count steps.
 *
 * @param[in] shape   sizes
 * @param[in] input   (rows, depth)
 * @param[out] output (rows, count); does not overlap the input
 */
void tinsmith_top_k_s8(const tinsmith_ranking_shape *shape, const int8_t *input, int8_t *output);
void tinsmith_top_k_s16(const tinsmith_ranking_shape *shape, const int16_t *input, int16_t *output);
void tinsmith_top_k_s32(const tinsmith_ranking_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_top_k_f32(const tinsmith_ranking_shape *shape, const float *input, float *output);

/** Where in their row they are. */
void tinsmith_top_k_indices_s8(const tinsmith_ranking_shape *shape, const int8_t *input, int32_t *output);
void tinsmith_top_k_indices_s16(const tinsmith_ranking_shape *shape, const int16_t *input, int32_t *output);
void tinsmith_top_k_indices_s32(const tinsmith_ranking_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_top_k_indices_f32(const tinsmith_ranking_shape *shape, const float *input, int32_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_RANKING_H_
