/* Minimum and maximum of two tensors that are repeated along extents of 1: rows in which neither operand or one is a
 * single value.
 */

#include "src/internal/extrema.h"

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"

/** Neighbouring axes along which the operands are repeated alike: elements, and bytes from one to the next, 0 where an
 * operand is repeated. */
typedef struct {
  int32_t count;
  int32_t first_step;
  int32_t second_step;
} level;

enum { kRank = 4 };

/** From the innermost on; those that are not there are of one element. */
typedef struct {
  level levels[kRank];
  int32_t used;
  int32_t first_elements; /* of the axes so far */
  int32_t second_elements;
} nest;

/** Put an axis around others, or make it one with the outermost of them. */
static inline void enclose(nest *n, int32_t first, int32_t second) {
  const int32_t count = first > second ? first : second;
  if (count == 1) {
    return;
  }
  const level next = {count, first == 1 ? 0 : n->first_elements, second == 1 ? 0 : n->second_elements};
  level *last = n->levels + n->used - 1;
  if (n->used > 0 && next.first_step == last->first_step * last->count &&
      next.second_step == last->second_step * last->count) {
    last->count *= count;
  } else {
    n->levels[n->used++] = next;
  }
  n->first_elements *= first;
  n->second_elements *= second;
}

static int32_t elements(const cmsis_nn_dims *dims) {
  return dims->n * dims->h * dims->w * dims->c;
}

static bool are_equal(const cmsis_nn_dims *a, const cmsis_nn_dims *b) {
  return a->c == b->c && a->w == b->w && a->h == b->h && a->n == b->n;
}

/** Operands of which either is repeated along some axes. */
TINSMITH_NOINLINE static void extrema_broadcast(bool greatest, const int8_t *first, const cmsis_nn_dims *first_dims,
                                                const int8_t *second, const cmsis_nn_dims *second_dims,
                                                int8_t *output) {
  nest n = {.levels = {{1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, .first_elements = 1, .second_elements = 1};
  enclose(&n, first_dims->c, second_dims->c);
  enclose(&n, first_dims->w, second_dims->w);
  enclose(&n, first_dims->h, second_dims->h);
  enclose(&n, first_dims->n, second_dims->n);
  const level *row = n.levels;
  if (row->first_step == 0) { /* The single value is to be the second operand. */
    extrema_broadcast(greatest, second, second_dims, first, first_dims, output);
    return;
  }
  const tinsmith_extremum kind = {greatest, row->second_step == 0};
  const tinsmith_extrema_rows rows = {row[1].count, row[0].count, row[1].first_step, row[1].second_step};
  for (int32_t i = 0; i < row[3].count; ++i) {
    for (int32_t j = 0; j < row[2].count; ++j) {
      tinsmith_extrema_s8(kind, rows, first + i * row[3].first_step + j * row[2].first_step,
                          second + i * row[3].second_step + j * row[2].second_step, output);
      output += rows.count * rows.length;
    }
  }
}

static arm_cmsis_nn_status extrema(bool greatest, const int8_t *first, const cmsis_nn_dims *first_dims,
                                   const int8_t *second, const cmsis_nn_dims *second_dims, int8_t *output) {
  const int32_t first_elements = elements(first_dims);
  const int32_t second_elements = elements(second_dims);
  tinsmith_extrema_rows rows = {1, first_elements, 0, 0};
  if (are_equal(first_dims, second_dims)) {
    tinsmith_extrema_s8((tinsmith_extremum){greatest, false}, rows, first, second, output);
  } else if (second_elements == 1) {
    tinsmith_extrema_s8((tinsmith_extremum){greatest, true}, rows, first, second, output);
  } else if (first_elements == 1) {
    rows.length = second_elements;
    tinsmith_extrema_s8((tinsmith_extremum){greatest, true}, rows, second, first, output);
  } else {
    extrema_broadcast(greatest, first, first_dims, second, second_dims, output);
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
