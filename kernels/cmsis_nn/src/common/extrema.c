/* Minimum and maximum of two tensors that are repeated along extents of 1: rows in which neither operand or one is a
 * single value.
 */

#include "src/internal/extrema.h"

#include <stdbool.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"

/** How rows are taken: of two tensors, or with a single value. */
typedef struct {
  tinsmith_extrema *pairs;
  tinsmith_extrema *with_one;
} kind;

/** Blocks that follow each other in the operands: elements of each, and whether they are repeated alike within. */
typedef struct {
  int32_t first;
  int32_t second;
  bool alike;
} block;

static inline int32_t greater(int32_t a, int32_t b) {
  return a > b ? a : b;
}

/** `first` and `second` blocks of that size. */
static inline block around(block inner, int32_t first, int32_t second) {
  return (block){inner.first * first, inner.second * second, inner.alike && first == second};
}

/** Whether a call does a whole block. */
static inline bool is_row(block b) {
  return b.alike || b.first == 1 || b.second == 1;
}

/** Blocks along an axis: how many, and elements from one to the next, 0 where an operand is repeated. */
typedef struct {
  int32_t count;
  int32_t first_step;
  int32_t second_step;
} axis;

static inline axis axis_of(block b, int32_t first, int32_t second) {
  return (axis){greater(first, second), first == 1 ? 0 : b.first, second == 1 ? 0 : b.second};
}

/** Rows along three axes. */
TINSMITH_ALWAYS_INLINE void do_rows(const kind *k, block row, axis inner, axis middle, axis outer, const int8_t *first,
                                    const int8_t *second, int8_t *output) {
  tinsmith_extrema *function = row.alike ? k->pairs : k->with_one;
  tinsmith_extrema_rows rows = {inner.count, row.first, inner.first_step, inner.second_step};
  if (row.second > row.first) { /* The single value is to be the second operand. */
    const int8_t *other = first;
    first = second;
    second = other;
    rows = (tinsmith_extrema_rows){inner.count, row.second, inner.second_step, inner.first_step};
    middle = (axis){middle.count, middle.second_step, middle.first_step};
    outer = (axis){outer.count, outer.second_step, outer.first_step};
  }
  for (int32_t left = outer.count; left > 0; --left) {
    const int8_t *a = first;
    const int8_t *b = second;
    int32_t i = middle.count;
    do {
      function(&rows, a, b, output);
      a += middle.first_step;
      b += middle.second_step;
      output += rows.count * rows.length;
    } while (--i > 0);
    first += outer.first_step;
    second += outer.second_step;
  }
}

/** Operands of which either is repeated along some axes: as few rows as they allow. */
TINSMITH_NOINLINE static void extrema_broadcast(const kind *k, const int8_t *first, const cmsis_nn_dims *first_dims,
                                                const int8_t *second, const cmsis_nn_dims *second_dims,
                                                int8_t *output) {
  const axis once = {1, 0, 0};
  const block pixel = {first_dims->c, second_dims->c, first_dims->c == second_dims->c};
  const block line = around(pixel, first_dims->w, second_dims->w);
  const block image = around(line, first_dims->h, second_dims->h);
  const block whole = around(image, first_dims->n, second_dims->n);
  if (is_row(whole)) {
    do_rows(k, whole, once, once, once, first, second, output);
    return;
  }
  const axis images = axis_of(image, first_dims->n, second_dims->n);
  if (is_row(image)) {
    do_rows(k, image, images, once, once, first, second, output);
    return;
  }
  const axis lines = axis_of(line, first_dims->h, second_dims->h);
  if (is_row(line)) {
    do_rows(k, line, lines, images, once, first, second, output);
    return;
  }
  axis pixels = axis_of(pixel, first_dims->w, second_dims->w);
  if (lines.first_step == pixels.count * pixels.first_step && lines.second_step == pixels.count * pixels.second_step) {
    pixels.count *= lines.count;
    do_rows(k, pixel, pixels, images, once, first, second, output);
  } else {
    do_rows(k, pixel, pixels, lines, images, first, second, output);
  }
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims) {
  (void)ctx;
  (void)output_dims;
  static const kind minima = {tinsmith_minima_s8, tinsmith_minima_with_s8};
  extrema_broadcast(&minima, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
                                   const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data,
                                   const cmsis_nn_dims *input_2_dims, int8_t *output_data,
                                   const cmsis_nn_dims *output_dims) {
  (void)ctx;
  (void)output_dims;
  static const kind maxima = {tinsmith_maxima_s8, tinsmith_maxima_with_s8};
  extrema_broadcast(&maxima, input_1_data, input_1_dims, input_2_data, input_2_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}
