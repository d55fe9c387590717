/* Minimum and maximum of two tensors that are repeated along extents of 1: the longest rows in which neither or one
 * operand is a single value, one after the other. */

#include "src/internal/extrema.h"

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

enum {
  kRank = 4,
  kShortRow = 8, /* bytes */
};

typedef struct {
  int32_t extents[kRank];
  int32_t steps[kRank]; /* bytes from index to index; 0 where the tensor is repeated */
} operand;

static operand operand_of(const cmsis_nn_dims *dims) {
  operand o = {.extents = {dims->n, dims->h, dims->w, dims->c}};
  int32_t step = 1;
  for (int32_t d = kRank - 1; d >= 0; --d) {
    o.steps[d] = o.extents[d] == 1 ? 0 : step;
    step *= o.extents[d];
  }
  return o;
}

/** How many inner dimensions make one row, and its length. */
static int32_t row_of(const operand *first, const operand *second, bool one, int32_t *length) {
  int32_t d = kRank - 1;
  *length = 1;
  while (d >= 0 && (one ? second->extents[d] == 1 : first->extents[d] == second->extents[d])) {
    *length *= first->extents[d];
    --d;
  }
  return d + 1;
}

/** The innermost dimension in which an operand is not repeated against the other; -1: in none. */
static int32_t innermost_difference(const operand *first, const operand *second) {
  int32_t d = kRank - 1;
  while (d >= 0 && first->extents[d] == 1 && second->extents[d] == 1) {
    --d;
  }
  return d;
}

typedef struct {
  int32_t count;
  int32_t length; /* of each row */
  int32_t first_step;
  int32_t second_step;
} rows;

/** Rows for which a call costs more than it saves. */
static void short_rows(tinsmith_extremum kind, const rows *r, const int8_t *first, const int8_t *second,
                       int8_t *output) {
  const int32_t flip = kind.greatest ? 0 : -1; /* The lesser of two is ~ of the greater of their ~. */
  const int32_t step = kind.one ? 0 : 1;
  for (int32_t row = 0; row < r->count; ++row) {
    const int8_t *b = second;
    TINSMITH_NO_UNROLL
    for (int32_t i = 0; i < r->length; ++i) {
      const int32_t x = first[i] ^ flip;
      const int32_t y = *b ^ flip;
      *output++ = (int8_t)((x > y ? x : y) ^ flip);
      b += step;
    }
    first += r->first_step;
    second += r->second_step;
  }
}

static void long_rows(tinsmith_extremum kind, const rows *r, const int8_t *first, const int8_t *second,
                      int8_t *output) {
  for (int32_t row = 0; row < r->count; ++row) {
    tinsmith_extrema_s8(kind, first, second, output, r->length);
    first += r->first_step;
    second += r->second_step;
    output += r->length;
  }
}

/** Make the dimensions outside of rows the last ones, so that the innermost of them is. */
static void move_outer_last(operand *o, int32_t outer) {
  for (int32_t d = kRank - 1; d >= 0; --d) {
    const int32_t from = d - (kRank - outer);
    o->extents[d] = from < 0 ? 1 : o->extents[from];
    o->steps[d] = from < 0 ? 0 : o->steps[from];
  }
}

static arm_cmsis_nn_status extrema(bool greatest, const int8_t *data_1, const cmsis_nn_dims *dims_1,
                                   const int8_t *data_2, const cmsis_nn_dims *dims_2, int8_t *output) {
  operand first = operand_of(dims_1);
  operand second = operand_of(dims_2);
  const int32_t inner = innermost_difference(&first, &second);
  if (inner >= 0 && first.extents[inner] < second.extents[inner]) { /* The single value is the second operand. */
    const operand other = first;
    first = second;
    second = other;
    const int8_t *data = data_1;
    data_1 = data_2;
    data_2 = data;
  }
  const tinsmith_extremum kind = {greatest, inner >= 0 && second.extents[inner] == 1};
  rows r;
  const int32_t outer = row_of(&first, &second, kind.one, &r.length);
  move_outer_last(&first, outer);
  move_outer_last(&second, outer);
  int32_t counts[kRank];
  for (int32_t d = 0; d < kRank; ++d) {
    counts[d] = first.extents[d] > second.extents[d] ? first.extents[d] : second.extents[d];
  }
  r.count = counts[kRank - 1];
  r.first_step = first.steps[kRank - 1];
  r.second_step = second.steps[kRank - 1];
  const bool is_short = !TINSMITH_NN_MVE && r.length < kShortRow;
  for (int32_t i = 0; i < counts[0]; ++i) {
    for (int32_t j = 0; j < counts[1]; ++j) {
      for (int32_t k = 0; k < counts[2]; ++k) {
        const int8_t *at_1 = data_1 + i * first.steps[0] + j * first.steps[1] + k * first.steps[2];
        const int8_t *at_2 = data_2 + i * second.steps[0] + j * second.steps[1] + k * second.steps[2];
        if (is_short) {
          short_rows(kind, &r, at_1, at_2, output);
        } else {
          long_rows(kind, &r, at_1, at_2, output);
        }
        output += r.count * r.length;
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims) {
  (void)ctx;
  (void)output_dims;
  return extrema(false, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims) {
  (void)ctx;
  (void)output_dims;
  return extrema(true, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
}
