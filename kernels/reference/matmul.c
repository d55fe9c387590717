// Products of matrices, both computed, with batches that broadcast.
#include "tinsmith/matmul.h"

#include "arithmetic.h"
#include "tinsmith/rounding.h"

// To the operands' next matrices; false when there are none.
static int next_matrices(const tinsmith_matmul_shape *shape, int32_t *index, int32_t *lhs, int32_t *rhs) {
  for (int32_t axis = shape->batch_rank - 1; axis >= 0; --axis) {
    *lhs += shape->lhs_strides[axis];
    *rhs += shape->rhs_strides[axis];
    if (++index[axis] < shape->batch_shape[axis]) {
      return 1;
    }
    *lhs -= shape->batch_shape[axis] * shape->lhs_strides[axis];
    *rhs -= shape->batch_shape[axis] * shape->rhs_strides[axis];
    index[axis] = 0;
  }
  return 0;
}

// The element of an accumulator; int16 lies within int32 after its rescaling.
static int32_t rescaled_s32(const tinsmith_matmul_parameters *parameters, int32_t acc, int32_t min, int32_t max) {
  const int32_t scaled = scale_s32(acc, parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp(scaled, parameters->output_offset, min, max);
}

static int32_t rescaled_s64(const tinsmith_matmul_parameters *parameters, int64_t acc, int32_t min, int32_t max) {
  const int32_t scaled = scale_s64(acc, parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp(scaled, parameters->output_offset, min, max);
}

// Of either accumulator, rounded once.
static int32_t rescaled_nearest(const tinsmith_matmul_parameters *parameters, int64_t acc, int32_t min, int32_t max) {
  const int64_t scaled = round_nearest(acc * parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, min, max);
}

static int32_t rescaled_floor(const tinsmith_matmul_parameters *parameters, int64_t acc, int32_t min, int32_t max) {
  const int64_t scaled = round_floor(acc * parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, min, max);
}

// Matrices, their rows and columns; `add` is an expression of `left` and `right`, `finish` one of `acc`.
#define MULTIPLY(element, number, add, finish)                                         \
  int32_t index[TINSMITH_MAX_RANK] = {0};                                              \
  int32_t lhs_start = 0;                                                               \
  int32_t rhs_start = 0;                                                               \
  do {                                                                                 \
    for (int32_t row = 0; row < shape->rows; ++row) {                                  \
      for (int32_t column = 0; column < shape->columns; ++column) {                    \
        const element *lhs_row = lhs + lhs_start + row * shape->lhs_row_step;          \
        const element *rhs_column = rhs + rhs_start + column * shape->rhs_column_step; \
        number acc = 0;                                                                \
        for (int32_t k = 0; k < shape->depth; ++k) {                                   \
          const element left = lhs_row[k * shape->lhs_depth_step];                     \
          const element right = rhs_column[k * shape->rhs_depth_step];                 \
          acc += (add);                                                                \
        }                                                                              \
        *output++ = (element)(finish);                                                 \
      }                                                                                \
    }                                                                                  \
  } while (next_matrices(shape, index, &lhs_start, &rhs_start))

#define DEFINE_MATMUL_S8(kernel, rescaled)                                                                         \
  void kernel(const tinsmith_matmul_shape *shape, const tinsmith_matmul_parameters *parameters, const int8_t *lhs, \
              const int8_t *rhs, int8_t *output) {                                                                 \
    MULTIPLY(int8_t, int32_t, (left + parameters->lhs_offset) * (right + parameters->rhs_offset),                  \
             rescaled(parameters, acc, INT8_MIN, INT8_MAX));                                                       \
  }

#define DEFINE_MATMUL_S16(kernel, rescaled)                                                                         \
  void kernel(const tinsmith_matmul_shape *shape, const tinsmith_matmul_parameters *parameters, const int16_t *lhs, \
              const int16_t *rhs, int16_t *output) {                                                                \
    MULTIPLY(int16_t, int64_t, (int64_t)left *right, rescaled(parameters, acc, INT16_MIN, INT16_MAX));              \
  }

DEFINE_MATMUL_S8(tinsmith_batch_matmul_s8, rescaled_s32)
DEFINE_MATMUL_S8(tinsmith_batch_matmul_s8_nearest, rescaled_nearest)
DEFINE_MATMUL_S8(tinsmith_batch_matmul_s8_floor, rescaled_floor)
DEFINE_MATMUL_S16(tinsmith_batch_matmul_s16, rescaled_s64)
DEFINE_MATMUL_S16(tinsmith_batch_matmul_s16_nearest, rescaled_nearest)
DEFINE_MATMUL_S16(tinsmith_batch_matmul_s16_floor, rescaled_floor)

void tinsmith_batch_matmul_f32(const tinsmith_matmul_shape *shape, const float *lhs, const float *rhs, float *output) {
  MULTIPLY(float, float, left *right, acc);
}
