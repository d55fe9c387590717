/* What networks do to tensors besides layers with weights: functions of two tensors one of which may be repeated,
 * means, and elements that move. Int8. As in tinsmith_pulp_nn.h a call is one core's share of the work; shares need no
 * barrier.
 */
#ifndef TINSMITH_PULP_TENSORS_H_
#define TINSMITH_PULP_TENSORS_H_

#include <stdbool.h>
#include <stdint.h>

#include "tinsmith_pulp_nn.h"

/** Two tensors, as rows of a result that is dense: so many bytes from row to row, 0 where each row is the same, and
 * from element to element, 1, or 0 where a row has one element for all. A core takes rows, or a part of a row where
 * there are more cores than rows. The result is neither operand. */
typedef struct {
  const int8_t *lhs, *rhs;
  int8_t *output;
  uint32_t rows, columns;
  uint32_t lhs_row_step, rhs_row_step;
  uint32_t lhs_step, rhs_step;
} tinsmith_pulp_pairs_t;

/** A scaled product. x is (lhs + lhs_offset) * (rhs + rhs_offset), and p its product with high * 2**15 + low, divided
 * by 2**15 and rounded down; low in [0, 2**15). All of it stays within 32 bits, whoever chooses the numbers sees to
 * that.
 *
 * - tinsmith_pulp_mul_tflite_s8: p is divided by 2**15 and the nearest integer, then by 2**shift and the nearest
 *   integer, halves away from zero; addend is the output's zero point. shift in [1, 31].
 * - tinsmith_pulp_mul_scaled_s8: (p + addend) >> shift, shift in [0, 31].
 */
typedef struct {
  tinsmith_pulp_pairs_t pairs;
  int32_t lhs_offset, rhs_offset;
  int32_t high, low;
  int32_t addend;
  int32_t shift;
  int32_t min, max;
} tinsmith_pulp_mul_t;

void tinsmith_pulp_mul_tflite_s8(const tinsmith_pulp_mul_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_mul_scaled_s8(const tinsmith_pulp_mul_t *layer, tinsmith_pulp_core_t core);

/** (lhs_table[lhs] + rhs_table[rhs]) >> shift, clamped; bytes are taken as uint8. What tinsmith_pulp_add_tflite_s8()
 * does of equal shapes, in less time. */
typedef struct {
  tinsmith_pulp_pairs_t pairs;
  const int32_t *lhs_table, *rhs_table;
  uint32_t shift;
  int32_t min, max;
} tinsmith_pulp_sum_t;

void tinsmith_pulp_sum_by_tables(const tinsmith_pulp_sum_t *layer, tinsmith_pulp_core_t core);

/** The smaller, and the larger, of two elements. */
void tinsmith_pulp_minimum_s8(const tinsmith_pulp_pairs_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_maximum_s8(const tinsmith_pulp_pairs_t *layer, tinsmith_pulp_core_t core);

/** Means, or sums, of input(outer, count, inner) over `count`: output(outer, inner). A core takes fours of `inner`.
 *
 * acc is the sum of (input - input_zero_point), below 2**31. is_tflite: acc times multiplier * 2**(-31 - shift) in
 * gemmlowp's two roundings, shift in [-31, 31]; else (acc * multiplier + addend) >> (31 + shift), its product within 62
 * bits. output_zero_point is added, and the result clamped. */
typedef struct {
  const int8_t *input;
  int8_t *output;
  uint32_t outer, count, inner;
  int32_t input_zero_point;
  bool is_tflite;
  int32_t multiplier, shift;
  int64_t addend;
  int32_t output_zero_point;
  int32_t min, max;
} tinsmith_pulp_mean_t;

void tinsmith_pulp_mean_s8(const tinsmith_pulp_mean_t *layer, tinsmith_pulp_core_t core);

#define TINSMITH_PULP_BOX_AXES 4

/** A box of elements that move: from inputs[input] + from to output + to. sizes: none of them 0, the last axis is that
 * of elements. Steps: bytes along each axis. */
typedef struct {
  uint32_t input;
  uint32_t from, to;
  uint32_t sizes[TINSMITH_PULP_BOX_AXES];
  uint32_t from_steps[TINSMITH_PULP_BOX_AXES];
  uint32_t to_steps[TINSMITH_PULP_BOX_AXES];
} tinsmith_pulp_box_t;

/** Boxes that share no byte of the output, and none with the inputs. A core takes rows along the last axis, of each
 * box, or a part of a row where there are more cores than rows. Rows of bytes that lie side by side are copied by
 * words. */
typedef struct {
  const void *const *inputs;
  void *output;
  const tinsmith_pulp_box_t *boxes;
  uint32_t count;
} tinsmith_pulp_move_t;

void tinsmith_pulp_move(const tinsmith_pulp_move_t *layer, tinsmith_pulp_core_t core);

#endif /* TINSMITH_PULP_TENSORS_H_ */
