// The largest elements of each row, found one after the other.
#include "tinsmith/ranking.h"

#include <stdbool.h>

#include "float_rules.h"

// Whether element `a` of a row comes before element `b`; a total order, since no two places are equal.
typedef bool (*precedes)(const void *row, int32_t a, int32_t b);

#define DEFINE_PRECEDES(name, element, wins)                   \
  static bool name(const void *row, int32_t a, int32_t b) {    \
    const element left = ((const element *)row)[a];            \
    const element right = ((const element *)row)[b];           \
    return wins(left, right) || (!wins(right, left) && a < b); \
  }

#define IS_LARGER(left, right) ((left) > (right))
// NaN is the only number that differs from itself.
#define IS_LARGER_F32(left, right) ((left) > (right) || ((left) == (left) && (right) != (right)))

DEFINE_PRECEDES(precedes_s8, int8_t, IS_LARGER)
DEFINE_PRECEDES(precedes_s16, int16_t, IS_LARGER)
DEFINE_PRECEDES(precedes_s32, int32_t, IS_LARGER)
DEFINE_PRECEDES(precedes_f32, float, IS_LARGER_F32)

// The first place behind `last`, -1 for the first of all; there is one.
static int32_t following(const void *row, int32_t depth, int32_t last, precedes comes_before) {
  int32_t best = -1;
  for (int32_t i = 0; i < depth; ++i) {
    if ((last < 0 || comes_before(row, last, i)) && (best < 0 || comes_before(row, i, best))) {
      best = i;
    }
  }
  return best;
}

// `found` is the output element of place `last`.
#define DEFINE_TOP(kernel, element, result, comes_before, found)                                      \
  void kernel(const tinsmith_ranking_shape *shape, const element *input, result *output) {            \
    for (const element *row = input; row < input + shape->rows * shape->depth; row += shape->depth) { \
      int32_t last = -1;                                                                              \
      for (int32_t k = 0; k < shape->count; ++k) {                                                    \
        last = following(row, shape->depth, last, comes_before);                                      \
        *output++ = found;                                                                            \
      }                                                                                               \
    }                                                                                                 \
  }

DEFINE_TOP(tinsmith_top_k_s8, int8_t, int8_t, precedes_s8, row[last])
DEFINE_TOP(tinsmith_top_k_s16, int16_t, int16_t, precedes_s16, row[last])
DEFINE_TOP(tinsmith_top_k_s32, int32_t, int32_t, precedes_s32, row[last])
DEFINE_TOP(tinsmith_top_k_f32, float, float, precedes_f32, row[last])
DEFINE_TOP(tinsmith_top_k_indices_s8, int8_t, int32_t, precedes_s8, last)
DEFINE_TOP(tinsmith_top_k_indices_s16, int16_t, int32_t, precedes_s16, last)
DEFINE_TOP(tinsmith_top_k_indices_s32, int32_t, int32_t, precedes_s32, last)
DEFINE_TOP(tinsmith_top_k_indices_f32, float, int32_t, precedes_f32, last)
