// Comparisons with broadcasting, and choices between elements of any type, by their size in bytes.
#include "tinsmith/comparison.h"

#include <string.h>

#include "arithmetic.h"
#include "broadcast.h"
#include "float_rules.h"

static int32_t found_integer(int32_t lhs, int32_t rhs) {
  return lhs < rhs ? TINSMITH_LESS : lhs == rhs ? TINSMITH_EQUAL : TINSMITH_GREATER;
}

static int32_t found_wide(int64_t lhs, int64_t rhs) {
  return lhs < rhs ? TINSMITH_LESS : lhs == rhs ? TINSMITH_EQUAL : TINSMITH_GREATER;
}

static int32_t found_float(float lhs, float rhs) {
  if (lhs < rhs) {
    return TINSMITH_LESS;
  }
  if (lhs > rhs) {
    return TINSMITH_GREATER;
  }
  return lhs == rhs ? TINSMITH_EQUAL : TINSMITH_UNORDERED;
}

// `found` is an expression of `left` and `right`.
#define STORE_FOUND(element, found) STORE_EACH(element, uint8_t, (relation & (found)) != 0)

void tinsmith_compare_s8(const tinsmith_broadcast *broadcast, const tinsmith_compare_parameters *parameters,
                         int32_t relation, const int8_t *lhs, const int8_t *rhs, uint8_t *output) {
  const int32_t shift = parameters->left_shift;
  STORE_FOUND(int8_t, found_integer(scaled_operand(left, parameters->lhs_offset, shift, &parameters->lhs),
                                    scaled_operand(right, parameters->rhs_offset, shift, &parameters->rhs)));
}

void tinsmith_compare_s32(const tinsmith_broadcast *broadcast, int32_t relation, const int32_t *lhs, const int32_t *rhs,
                          uint8_t *output) {
  STORE_FOUND(int32_t, found_integer(left, right));
}

void tinsmith_compare_s64(const tinsmith_broadcast *broadcast, int32_t relation, const int64_t *lhs, const int64_t *rhs,
                          uint8_t *output) {
  STORE_FOUND(int64_t, found_wide(left, right));
}

void tinsmith_compare_f32(const tinsmith_broadcast *broadcast, int32_t relation, const float *lhs, const float *rhs,
                          uint8_t *output) {
  STORE_FOUND(float, found_float(left, right));
}

void tinsmith_compare_bool(const tinsmith_broadcast *broadcast, int32_t relation, const uint8_t *lhs,
                           const uint8_t *rhs, uint8_t *output) {
  STORE_FOUND(uint8_t, found_integer(left, right));
}

void tinsmith_select(const tinsmith_select_shape *shape, const uint8_t *condition, const void *on_true,
                     const void *on_false, void *output) {
  const size_t bytes = (size_t)shape->element_bytes;
  uint8_t *destination = output;
  int32_t index[TINSMITH_MAX_RANK] = {0};
  int32_t axis = 0;
  do {
    int32_t asked = 0;
    int32_t place_true = 0;
    int32_t place_false = 0;
    for (axis = 0; axis < shape->rank; ++axis) {
      asked += index[axis] * shape->condition_strides[axis];
      place_true += index[axis] * shape->true_strides[axis];
      place_false += index[axis] * shape->false_strides[axis];
    }
    const uint8_t *chosen = condition[asked] != 0 ? (const uint8_t *)on_true + (size_t)place_true * bytes
                                                  : (const uint8_t *)on_false + (size_t)place_false * bytes;
    memmove(destination, chosen, bytes);
    destination += bytes;
    // To the next element, the last dimension first.
    axis = shape->rank - 1;
    while (axis >= 0 && ++index[axis] == shape->shape[axis]) {
      index[axis--] = 0;
    }
  } while (axis >= 0);
}
