// Sums, largest and smallest elements over some dimensions, and where along one these are. Sums of quantized integers
// are those of means (pooling.h), with a scale that does not divide.
#ifndef TINSMITH_REDUCTION_H_
#define TINSMITH_REDUCTION_H_

#include <stdint.h>

#include "tinsmith/pooling.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_sum_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sum_f32)
#define tinsmith_sum_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sum_s32)
#define tinsmith_sum_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_sum_s64)
#define tinsmith_reduce_max_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_s8)
#define tinsmith_reduce_max_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_s16)
#define tinsmith_reduce_max_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_s32)
#define tinsmith_reduce_max_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_s64)
#define tinsmith_reduce_max_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_f32)
#define tinsmith_reduce_max_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_max_bool)
#define tinsmith_reduce_min_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_s8)
#define tinsmith_reduce_min_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_s16)
#define tinsmith_reduce_min_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_s32)
#define tinsmith_reduce_min_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_s64)
#define tinsmith_reduce_min_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_f32)
#define tinsmith_reduce_min_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_min_bool)
#define tinsmith_reduce_prod_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_prod_s32)
#define tinsmith_reduce_prod_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_prod_s64)
#define tinsmith_reduce_prod_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_reduce_prod_f32)
#define tinsmith_arg_max_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_max_s8)
#define tinsmith_arg_max_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_max_s16)
#define tinsmith_arg_max_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_max_s32)
#define tinsmith_arg_max_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_max_s64)
#define tinsmith_arg_max_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_max_f32)
#define tinsmith_arg_min_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_min_s8)
#define tinsmith_arg_min_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_min_s16)
#define tinsmith_arg_min_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_min_s32)
#define tinsmith_arg_min_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_min_s64)
#define tinsmith_arg_min_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_arg_min_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Sum over the reduced dimensions, in the input's order; integers wrap. */
void tinsmith_sum_f32(const tinsmith_mean_shape *shape, const float *input, float *output);
void tinsmith_sum_s32(const tinsmith_mean_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_sum_s64(const tinsmith_mean_shape *shape, const int64_t *input, int64_t *output);

/**
 * Largest element over the reduced dimensions; of bool (bytes of 0 or 1), whether any is true.
 *
 * Of float, the search begins with the smallest finite number, and NaN never wins.
 *
 * @param[in] shape   which elements belong together
 * @param[in] input   dense
 * @param[out] output dense, the kept dimensions; same scale and zero point as the input
 */
void tinsmith_reduce_max_s8(const tinsmith_mean_shape *shape, const int8_t *input, int8_t *output);
void tinsmith_reduce_max_s16(const tinsmith_mean_shape *shape, const int16_t *input, int16_t *output);
void tinsmith_reduce_max_s32(const tinsmith_mean_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_reduce_max_s64(const tinsmith_mean_shape *shape, const int64_t *input, int64_t *output);
void tinsmith_reduce_max_f32(const tinsmith_mean_shape *shape, const float *input, float *output);
void tinsmith_reduce_max_bool(const tinsmith_mean_shape *shape, const uint8_t *input, uint8_t *output);

/** Smallest element over the reduced dimensions; of bool, whether all are true. Of float, from the largest finite
 * number. */
void tinsmith_reduce_min_s8(const tinsmith_mean_shape *shape, const int8_t *input, int8_t *output);
void tinsmith_reduce_min_s16(const tinsmith_mean_shape *shape, const int16_t *input, int16_t *output);
void tinsmith_reduce_min_s32(const tinsmith_mean_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_reduce_min_s64(const tinsmith_mean_shape *shape, const int64_t *input, int64_t *output);
void tinsmith_reduce_min_f32(const tinsmith_mean_shape *shape, const float *input, float *output);
void tinsmith_reduce_min_bool(const tinsmith_mean_shape *shape, const uint8_t *input, uint8_t *output);

/** Product over the reduced dimensions, in the input's order from 1 on; integers wrap. */
void tinsmith_reduce_prod_s32(const tinsmith_mean_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_reduce_prod_s64(const tinsmith_mean_shape *shape, const int64_t *input, int64_t *output);
void tinsmith_reduce_prod_f32(const tinsmith_mean_shape *shape, const float *input, float *output);

/** An input of (blocks, count, inner). All at least 1. */
typedef struct {
  int32_t blocks;
  int32_t count;
  int32_t inner;
} tinsmith_arg_shape;

/**
 * Where along the middle dimension the largest element is; of equal ones the first.
 *
 * Of float, NaN wins over nothing, and nothing wins over it where it is the first.
 *
 * @param[in] shape   sizes
 * @param[in] input   (blocks, count, inner)
 * @param[out] output (blocks, inner), indices below count; does not overlap the input
 */
void tinsmith_arg_max_s8(const tinsmith_arg_shape *shape, const int8_t *input, int32_t *output);
void tinsmith_arg_max_s16(const tinsmith_arg_shape *shape, const int16_t *input, int32_t *output);
void tinsmith_arg_max_s32(const tinsmith_arg_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_arg_max_s64(const tinsmith_arg_shape *shape, const int64_t *input, int32_t *output);
void tinsmith_arg_max_f32(const tinsmith_arg_shape *shape, const float *input, int32_t *output);

/** Where the smallest element is, otherwise the same. */
void tinsmith_arg_min_s8(const tinsmith_arg_shape *shape, const int8_t *input, int32_t *output);
void tinsmith_arg_min_s16(const tinsmith_arg_shape *shape, const int16_t *input, int32_t *output);
void tinsmith_arg_min_s32(const tinsmith_arg_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_arg_min_s64(const tinsmith_arg_shape *shape, const int64_t *input, int32_t *output);
void tinsmith_arg_min_f32(const tinsmith_arg_shape *shape, const float *input, int32_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_REDUCTION_H_
