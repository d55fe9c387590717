// Addition, subtraction, multiplication, minimum and maximum with broadcasting, and clamping of floats.
#include "tinsmith/elementwise.h"

#include "arithmetic.h"
#include "broadcast.h"
#include "float_rules.h"
#include "requantized.h"
#include "tinsmith/rounding.h"

static int32_t add_integers(const tinsmith_add_parameters *parameters, int32_t lhs, int32_t rhs) {
  return finish_sum(parameters,
                    scaled_operand(lhs, parameters->lhs_offset, parameters->left_shift, &parameters->lhs) +
                        scaled_operand(rhs, parameters->rhs_offset, parameters->left_shift, &parameters->rhs));
}

static int32_t sub_integers(const tinsmith_add_parameters *parameters, int32_t lhs, int32_t rhs) {
  return finish_sum(parameters,
                    scaled_operand(lhs, parameters->lhs_offset, parameters->left_shift, &parameters->lhs) -
                        scaled_operand(rhs, parameters->rhs_offset, parameters->left_shift, &parameters->rhs));
}

static int32_t mul_integers(const tinsmith_mul_parameters *parameters, int32_t lhs, int32_t rhs) {
  const int32_t product = (lhs + parameters->lhs_offset) * (rhs + parameters->rhs_offset);
  const int32_t scaled = scale_s32(product, parameters->output.multiplier, parameters->output.shift);
  return offset_and_clamp(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

// Both operands of a sum that is rounded once, and how the sum or a product ends.
static int64_t weighted_lhs(const tinsmith_weighted_sum_parameters *parameters, int32_t lhs) {
  return (int64_t)(lhs + parameters->lhs_offset) * parameters->lhs_multiplier;
}

static int64_t weighted_rhs(const tinsmith_weighted_sum_parameters *parameters, int32_t rhs) {
  return (int64_t)(rhs + parameters->rhs_offset) * parameters->rhs_multiplier;
}

#define DEFINE_ROUNDED_ONCE(mode, round)                                                                          \
  static int32_t finish_weighted_##mode(const tinsmith_weighted_sum_parameters *parameters, int64_t sum) {        \
    const int64_t scaled = round(sum, parameters->shift);                                                         \
    return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max); \
  }                                                                                                               \
  static int32_t add_##mode(const tinsmith_weighted_sum_parameters *parameters, int32_t lhs, int32_t rhs) {       \
    return finish_weighted_##mode(parameters, weighted_lhs(parameters, lhs) + weighted_rhs(parameters, rhs));     \
  }                                                                                                               \
  static int32_t sub_##mode(const tinsmith_weighted_sum_parameters *parameters, int32_t lhs, int32_t rhs) {       \
    return finish_weighted_##mode(parameters, weighted_lhs(parameters, lhs) - weighted_rhs(parameters, rhs));     \
  }                                                                                                               \
  static int32_t mul_##mode(const tinsmith_mul_parameters *parameters, int32_t lhs, int32_t rhs) {                \
    const int64_t product = (int64_t)(lhs + parameters->lhs_offset) * (rhs + parameters->rhs_offset);             \
    const int64_t scaled = round(product * parameters->output.multiplier, parameters->output.shift);              \
    return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max); \
  }

DEFINE_ROUNDED_ONCE(nearest, round_nearest)
DEFINE_ROUNDED_ONCE(floor, round_floor)

// Plain int32 wraps as the hardware does.
static int32_t add_plain(const tinsmith_clamp *clamp, int32_t lhs, int32_t rhs) {
  return clamp_s32((int32_t)((uint32_t)lhs + (uint32_t)rhs), clamp->min, clamp->max);
}

static int32_t sub_plain(const tinsmith_clamp *clamp, int32_t lhs, int32_t rhs) {
  return clamp_s32((int32_t)((uint32_t)lhs - (uint32_t)rhs), clamp->min, clamp->max);
}

static int32_t mul_plain(const tinsmith_clamp *clamp, int32_t lhs, int32_t rhs) {
  return clamp_s32((int32_t)((uint32_t)lhs * (uint32_t)rhs), clamp->min, clamp->max);
}

static float add_floats(const tinsmith_clamp_f32 *clamp, float lhs, float rhs) {
  return clamp_f32(lhs + rhs, clamp->min, clamp->max);
}

static float sub_floats(const tinsmith_clamp_f32 *clamp, float lhs, float rhs) {
  return clamp_f32(lhs - rhs, clamp->min, clamp->max);
}

static float mul_floats(const tinsmith_clamp_f32 *clamp, float lhs, float rhs) {
  return clamp_f32(lhs * rhs, clamp->min, clamp->max);
}

#define DEFINE_ADD_REQUANTIZE(kernel, element)                                                                      \
  void kernel(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,                       \
              const tinsmith_requantize_parameters *end, const element *lhs, const element *rhs, element *output) { \
    STORE_EACH(element, element, requantized(end, add_integers(parameters, left, right)));                          \
  }

DEFINE_ELEMENTWISE(tinsmith_add_s8, int8_t, tinsmith_add_parameters, add_integers)
DEFINE_ELEMENTWISE(tinsmith_add_s16, int16_t, tinsmith_add_parameters, add_integers)
DEFINE_ELEMENTWISE(tinsmith_add_s32, int32_t, tinsmith_clamp, add_plain)
DEFINE_ELEMENTWISE(tinsmith_add_f32, float, tinsmith_clamp_f32, add_floats)
DEFINE_ADD_REQUANTIZE(tinsmith_add_requantize_s8, int8_t)
DEFINE_ADD_REQUANTIZE(tinsmith_add_requantize_s16, int16_t)
DEFINE_ELEMENTWISE(tinsmith_sub_s8, int8_t, tinsmith_add_parameters, sub_integers)
DEFINE_ELEMENTWISE(tinsmith_sub_s16, int16_t, tinsmith_add_parameters, sub_integers)
DEFINE_ELEMENTWISE(tinsmith_sub_s32, int32_t, tinsmith_clamp, sub_plain)
DEFINE_ELEMENTWISE(tinsmith_sub_f32, float, tinsmith_clamp_f32, sub_floats)
DEFINE_ELEMENTWISE(tinsmith_mul_s8, int8_t, tinsmith_mul_parameters, mul_integers)
DEFINE_ELEMENTWISE(tinsmith_mul_s16, int16_t, tinsmith_mul_parameters, mul_integers)
DEFINE_ELEMENTWISE(tinsmith_mul_s32, int32_t, tinsmith_clamp, mul_plain)
DEFINE_ELEMENTWISE(tinsmith_mul_f32, float, tinsmith_clamp_f32, mul_floats)

DEFINE_ELEMENTWISE(tinsmith_add_s8_nearest, int8_t, tinsmith_weighted_sum_parameters, add_nearest)
DEFINE_ELEMENTWISE(tinsmith_add_s16_nearest, int16_t, tinsmith_weighted_sum_parameters, add_nearest)
DEFINE_ELEMENTWISE(tinsmith_sub_s8_nearest, int8_t, tinsmith_weighted_sum_parameters, sub_nearest)
DEFINE_ELEMENTWISE(tinsmith_sub_s16_nearest, int16_t, tinsmith_weighted_sum_parameters, sub_nearest)
DEFINE_ELEMENTWISE(tinsmith_mul_s8_nearest, int8_t, tinsmith_mul_parameters, mul_nearest)
DEFINE_ELEMENTWISE(tinsmith_mul_s16_nearest, int16_t, tinsmith_mul_parameters, mul_nearest)
DEFINE_ELEMENTWISE(tinsmith_add_s8_floor, int8_t, tinsmith_weighted_sum_parameters, add_floor)
DEFINE_ELEMENTWISE(tinsmith_add_s16_floor, int16_t, tinsmith_weighted_sum_parameters, add_floor)
DEFINE_ELEMENTWISE(tinsmith_sub_s8_floor, int8_t, tinsmith_weighted_sum_parameters, sub_floor)
DEFINE_ELEMENTWISE(tinsmith_sub_s16_floor, int16_t, tinsmith_weighted_sum_parameters, sub_floor)
DEFINE_ELEMENTWISE(tinsmith_mul_s8_floor, int8_t, tinsmith_mul_parameters, mul_floor)
DEFINE_ELEMENTWISE(tinsmith_mul_s16_floor, int16_t, tinsmith_mul_parameters, mul_floor)

// Sums stay far below; plain int64 wraps.
DEFINE_PLAIN(tinsmith_add_s64, int64_t, (uint64_t)left + (uint64_t)right)
DEFINE_PLAIN(tinsmith_sub_s64, int64_t, (uint64_t)left - (uint64_t)right)
DEFINE_PLAIN(tinsmith_mul_s64, int64_t, (uint64_t)left *(uint64_t)right)

// Of equal zeros, and where one operand is NaN, the right one is taken, as TFLite does.
DEFINE_PLAIN(tinsmith_minimum_s8, int8_t, left < right ? left : right)
DEFINE_PLAIN(tinsmith_minimum_s16, int16_t, left < right ? left : right)
DEFINE_PLAIN(tinsmith_minimum_s32, int32_t, left < right ? left : right)
DEFINE_PLAIN(tinsmith_minimum_s64, int64_t, left < right ? left : right)
DEFINE_PLAIN(tinsmith_minimum_f32, float, left < right ? left : right)
DEFINE_PLAIN(tinsmith_minimum_bool, uint8_t, left < right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_s8, int8_t, left > right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_s16, int16_t, left > right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_s32, int32_t, left > right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_s64, int64_t, left > right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_f32, float, left > right ? left : right)
DEFINE_PLAIN(tinsmith_maximum_bool, uint8_t, left > right ? left : right)

void tinsmith_clamp_elements_f32(int32_t elements, const tinsmith_clamp_f32 *clamp, const float *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = clamp_f32(input[i], clamp->min, clamp->max);
  }
}
