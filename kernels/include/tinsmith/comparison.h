// Comparisons with broadcasting, and choices between elements of any type.
#ifndef TINSMITH_COMPARISON_H_
#define TINSMITH_COMPARISON_H_

#include <stdint.h>

#include "tinsmith/elementwise.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_compare_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_compare_s8)
#define tinsmith_compare_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_compare_s32)
#define tinsmith_compare_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_compare_s64)
#define tinsmith_compare_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_compare_f32)
#define tinsmith_compare_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_compare_bool)
#define tinsmith_select TINSMITH_REFERENCE_SYMBOL(tinsmith_select)

#ifdef __cplusplus
extern "C" {
#endif

/** What a comparison may find; a relation is the sum of those of which it holds. */
enum {
  TINSMITH_LESS = 1,
  TINSMITH_EQUAL = 2,
  TINSMITH_GREATER = 4,
  /** One is NaN. */
  TINSMITH_UNORDERED = 8,
};

/** How quantized operands are brought to one scale: the offset (minus the zero point) added, shifted left, scaled. */
typedef struct {
  int32_t left_shift;
  int32_t lhs_offset;
  int32_t rhs_offset;
  tinsmith_scale lhs;
  tinsmith_scale rhs;
} tinsmith_compare_parameters;

/**
 * Whether a relation holds: a byte of 1 or 0.
 *
 * @param[in] broadcast  how the operands meet
 * @param[in] parameters see there
 * @param[in] relation   sum of the above
 * @param[in] lhs, rhs   operands
 * @param[out] output    dense; may be the same memory as an operand of bytes in the output's shape
 */
void tinsmith_compare_s8(const tinsmith_broadcast *broadcast, const tinsmith_compare_parameters *parameters,
                         int32_t relation, const int8_t *lhs, const int8_t *rhs, uint8_t *output);
void tinsmith_compare_s32(const tinsmith_broadcast *broadcast, int32_t relation, const int32_t *lhs, const int32_t *rhs,
                          uint8_t *output);
void tinsmith_compare_s64(const tinsmith_broadcast *broadcast, int32_t relation, const int64_t *lhs, const int64_t *rhs,
                          uint8_t *output);
void tinsmith_compare_f32(const tinsmith_broadcast *broadcast, int32_t relation, const float *lhs, const float *rhs,
                          uint8_t *output);
void tinsmith_compare_bool(const tinsmith_broadcast *broadcast, int32_t relation, const uint8_t *lhs,
                           const uint8_t *rhs, uint8_t *output);

/** How three operands meet, as two do in tinsmith_broadcast. */
typedef struct {
  /** In [1, TINSMITH_MAX_RANK]. */
  int32_t rank;
  /** 1, 2, 4 or 8; of the condition it is 1. */
  int32_t element_bytes;
  int32_t shape[TINSMITH_MAX_RANK];
  int32_t condition_strides[TINSMITH_MAX_RANK];
  int32_t true_strides[TINSMITH_MAX_RANK];
  int32_t false_strides[TINSMITH_MAX_RANK];
} tinsmith_select_shape;

/** Where the condition is not 0 an element of on_true, else one of on_false. In place as comparisons are. */
void tinsmith_select(const tinsmith_select_shape *shape, const uint8_t *condition, const void *on_true,
                     const void *on_false, void *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_COMPARISON_H_
