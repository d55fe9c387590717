// The walk of kernels that combine two operands with numpy's broadcasting.
#ifndef TINSMITH_KERNELS_REFERENCE_BROADCAST_H_
#define TINSMITH_KERNELS_REFERENCE_BROADCAST_H_

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic.h"
#include "tinsmith/elementwise.h"

// Where the operands of the present row start, and the row's place in the outer dimensions.
typedef struct {
  int32_t index[TINSMITH_MAX_RANK];
  int32_t lhs;
  int32_t rhs;
} row_cursor;

// Go to the next row of the innermost dimension; false when there is none.
static inline bool next_row(const tinsmith_broadcast *broadcast, row_cursor *row) {
  for (int32_t axis = broadcast->rank - 2; axis >= 0; --axis) {
    row->lhs += broadcast->lhs_strides[axis];
    row->rhs += broadcast->rhs_strides[axis];
    if (++row->index[axis] < broadcast->shape[axis]) {
      return true;
    }
    row->lhs -= broadcast->shape[axis] * broadcast->lhs_strides[axis];
    row->rhs -= broadcast->shape[axis] * broadcast->rhs_strides[axis];
    row->index[axis] = 0;
  }
  return false;
}

// The walk over both operands, with an expression of `left` and `right` for each element of the result.
#define STORE_EACH(element, result, expression)                         \
  const int32_t inner = broadcast->rank - 1;                            \
  row_cursor row = {{0}, 0, 0};                                         \
  do {                                                                  \
    const element *lhs_row = lhs + row.lhs;                             \
    const element *rhs_row = rhs + row.rhs;                             \
    for (int32_t i = 0; i < broadcast->shape[inner]; ++i) {             \
      const element left = lhs_row[i * broadcast->lhs_strides[inner]];  \
      const element right = rhs_row[i * broadcast->rhs_strides[inner]]; \
      *output++ = (result)(expression);                                 \
    }                                                                   \
  } while (next_row(broadcast, &row))

#define DEFINE_ELEMENTWISE(kernel, element, parameters_type, combine)                                     \
  void kernel(const tinsmith_broadcast *broadcast, const parameters_type *parameters, const element *lhs, \
              const element *rhs, element *output) {                                                      \
    STORE_EACH(element, element, combine(parameters, left, right));                                       \
  }

#define DEFINE_PLAIN(kernel, element, expression)                                                             \
  void kernel(const tinsmith_broadcast *broadcast, const element *lhs, const element *rhs, element *output) { \
    STORE_EACH(element, element, expression);                                                                 \
  }

// An operand of a quantized sum on the scale that both have in common, and the end of such a sum.
static inline int32_t scaled_operand(int32_t value, int32_t offset, int32_t left_shift, const tinsmith_scale *scale) {
  return scale_s32(shift_left_s32(value + offset, left_shift), scale->multiplier, scale->shift);
}

static inline int32_t finish_sum(const tinsmith_add_parameters *parameters, int32_t sum) {
  const int32_t scaled = scale_s32(sum, parameters->output.multiplier, parameters->output.shift);
  return offset_and_clamp(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

#endif  // TINSMITH_KERNELS_REFERENCE_BROADCAST_H_
