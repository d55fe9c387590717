// Squared differences and quotients with broadcasting.
#include "tinsmith/differences.h"

#include "arithmetic.h"
#include "broadcast.h"
#include "float_rules.h"

static int32_t squared_integers(const tinsmith_add_parameters *parameters, int32_t lhs, int32_t rhs) {
  const int32_t difference = scaled_operand(lhs, parameters->lhs_offset, parameters->left_shift, &parameters->lhs) -
                             scaled_operand(rhs, parameters->rhs_offset, parameters->left_shift, &parameters->rhs);
  return finish_sum(parameters, difference * difference);
}

// Plain int32 wraps as the hardware does.
static int32_t squared_plain(int32_t lhs, int32_t rhs) {
  const uint32_t difference = (uint32_t)lhs - (uint32_t)rhs;
  return (int32_t)(difference * difference);
}

static float divided(const tinsmith_clamp_f32 *clamp, float lhs, float rhs) {
  return clamp_f32(lhs / rhs, clamp->min, clamp->max);
}

// Of the lowest integer by -1 the quotient wraps.
static int32_t divided_plain(const tinsmith_clamp *clamp, int32_t lhs, int32_t rhs) {
  const int32_t quotient = rhs == 0 ? 0 : rhs == -1 ? (int32_t)(0 - (uint32_t)lhs) : lhs / rhs;
  return clamp_s32(quotient, clamp->min, clamp->max);
}

static int64_t divided_wide(int64_t lhs, int64_t rhs) {
  return rhs == 0 ? 0 : rhs == -1 ? (int64_t)(0 - (uint64_t)lhs) : lhs / rhs;
}

DEFINE_ELEMENTWISE(tinsmith_squared_difference_s8, int8_t, tinsmith_add_parameters, squared_integers)
DEFINE_PLAIN(tinsmith_squared_difference_s32, int32_t, squared_plain(left, right))
DEFINE_PLAIN(tinsmith_squared_difference_f32, float, (left - right) * (left - right))
DEFINE_ELEMENTWISE(tinsmith_div_f32, float, tinsmith_clamp_f32, divided)
DEFINE_ELEMENTWISE(tinsmith_div_s32, int32_t, tinsmith_clamp, divided_plain)
DEFINE_PLAIN(tinsmith_div_s64, int64_t, divided_wide(left, right))
