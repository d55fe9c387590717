/* Sums, differences and products of a tensor and a smaller one whose elements repeat: piece by piece the smaller one is
 * written out into scratch, and the functions for equal shapes do the rest. Spreading costs about an instruction per
 * element where pieces differ, and next to nothing where one piece serves all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_nearest.h"
#include "src/internal/compiler.h"

enum { kPieceElements = TINSMITH_BROADCAST_PIECE };

/** Elements [first, first + elements) of the smaller operand as the larger one meets them. */
static void spread(const tinsmith_repetition *repetition, const int8_t *values, int32_t first, int32_t elements,
                   int8_t *piece) {
  const int32_t inner = repetition->inner;
  const int32_t count = repetition->count;
  int32_t index = first / inner % count;
  int32_t left = inner - first % inner; /* of the present value */
  TINSMITH_NO_UNROLL
  while (elements > 0) {
    int32_t run = inner == 1 ? count - index : left;
    run = run < elements ? run : elements;
    if (inner == 1) {
      memcpy(piece, values + index, (size_t)run);
      index = 0;
    } else {
      memset(piece, values[index], (size_t)run);
      index = index + 1 < count ? index + 1 : 0;
      left = inner;
    }
    piece += run;
    elements -= run;
  }
}

/** One of the operations on a piece. */
typedef void (*combination)(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                            int32_t elements);

static arm_cmsis_nn_status combine(const cmsis_nn_context *ctx, const tinsmith_repetition *repetition,
                                   const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                                   combination operation) {
  const int32_t period = repetition->count * repetition->inner;
  const int32_t elements = repetition->outer * period;
  const bool in_place = repetition->inner == 1 && period > kPieceElements;
  if (elements < 1 || (!in_place && ctx->buf == NULL)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const bool is_one_piece = period <= kPieceElements;
  const int32_t most = in_place ? period : (is_one_piece ? kPieceElements / period * period : kPieceElements);
  int8_t *piece = ctx->buf;
  if (is_one_piece) {
    spread(repetition, smaller, 0, most < elements ? most : elements, piece);
  }
  TINSMITH_NO_UNROLL
  for (int32_t first = 0; first < elements; first += most) {
    const int32_t count = elements - first < most ? elements - first : most;
    if (!in_place && !is_one_piece) {
      spread(repetition, smaller, first, count, piece);
    }
    operation(params, larger + first, in_place ? smaller : piece, output + first, count);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static void add(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output, int32_t elements) {
  const tinsmith_add_params *p = params;
  arm_elementwise_add_s8(larger, smaller, p->larger_offset, p->larger_multiplier, p->larger_shift, p->smaller_offset,
                         p->smaller_multiplier, p->smaller_shift, p->left_shift, output, p->output_offset,
                         p->output_multiplier, p->output_shift, p->activation.min, p->activation.max, elements);
}

static void multiply(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                     int32_t elements) {
  const tinsmith_mul_params *p = params;
  arm_elementwise_mul_s8(larger, smaller, p->larger_offset, p->smaller_offset, output, p->output_offset,
                         p->output_multiplier, p->output_shift, p->activation.min, p->activation.max, elements);
}

static void subtract(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                     int32_t elements) {
  const tinsmith_difference_params *p = params;
  const bool swap = p->smaller_is_shifted != 0;
  tinsmith_difference_s8(p, swap ? smaller : larger, swap ? larger : smaller, output, elements);
}

static void add_weighted(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                         int32_t elements) {
  tinsmith_weighted_sum_s8(params, larger, smaller, output, elements);
}

static void multiply_rounded_once(const void *params, const int8_t *larger, const int8_t *smaller, int8_t *output,
                                  int32_t elements) {
  tinsmith_product_s8(params, larger, smaller, output, elements);
}

arm_cmsis_nn_status tinsmith_add_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_add_params *params,
                                              const tinsmith_repetition *repetition, const int8_t *larger,
                                              const int8_t *smaller, int8_t *output) {
  return combine(ctx, repetition, params, larger, smaller, output, add);
}

arm_cmsis_nn_status tinsmith_mul_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_mul_params *params,
                                              const tinsmith_repetition *repetition, const int8_t *larger,
                                              const int8_t *smaller, int8_t *output) {
  return combine(ctx, repetition, params, larger, smaller, output, multiply);
}

arm_cmsis_nn_status tinsmith_difference_broadcast_s8(const cmsis_nn_context *ctx,
                                                     const tinsmith_difference_params *params,
                                                     const tinsmith_repetition *repetition, const int8_t *larger,
                                                     const int8_t *smaller, int8_t *output) {
  return combine(ctx, repetition, params, larger, smaller, output, subtract);
}

arm_cmsis_nn_status tinsmith_weighted_sum_broadcast_s8(const cmsis_nn_context *ctx,
                                                       const tinsmith_weighted_sum_params *params,
                                                       const tinsmith_repetition *repetition, const int8_t *larger,
                                                       const int8_t *smaller, int8_t *output) {
  return combine(ctx, repetition, params, larger, smaller, output, add_weighted);
}

arm_cmsis_nn_status tinsmith_product_broadcast_s8(const cmsis_nn_context *ctx, const tinsmith_product_params *params,
                                                  const tinsmith_repetition *repetition, const int8_t *larger,
                                                  const int8_t *smaller, int8_t *output) {
  return combine(ctx, repetition, params, larger, smaller, output, multiply_rounded_once);
}
