// Sums of all that lies in front, along one dimension.
#ifndef TINSMITH_SCAN_H_
#define TINSMITH_SCAN_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_cumsum_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cumsum_s32)
#define tinsmith_cumsum_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cumsum_s64)
#define tinsmith_cumsum_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cumsum_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** An input of (blocks, count, inner), all at least 1. */
typedef struct {
  int32_t blocks;
  int32_t count;
  int32_t inner;
  /** 1 for sums without the element itself, else 0. */
  int32_t exclusive;
  /** 1 for sums of what lies behind, the last first, else 0. */
  int32_t reverse;
} tinsmith_scan_shape;

/**
 * Sums along the middle dimension, from 0 on, one after the other; integers wrap.
 *
 * @param[in] shape   sizes, and which sums
 * @param[in] input   (blocks, count, inner)
 * @param[out] output the same; may be the input
 */
void tinsmith_cumsum_s32(const tinsmith_scan_shape *shape, const int32_t *input, int32_t *output);
void tinsmith_cumsum_s64(const tinsmith_scan_shape *shape, const int64_t *input, int64_t *output);
void tinsmith_cumsum_f32(const tinsmith_scan_shape *shape, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_SCAN_H_
