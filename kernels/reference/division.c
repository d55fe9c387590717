// Quotients rounded down and what they leave, with broadcasting.
#include "tinsmith/division.h"

#include "broadcast.h"
#include "float_functions.h"

#define WHOLE_DOUBLES_FROM 4503599627370496.0  // 2**52: from here on all are integers

static int32_t quotient_s32(int32_t lhs, int32_t rhs) {
  if (rhs == 0) {
    return 0;
  }
  const int64_t cut = (int64_t)lhs / rhs;
  return (int32_t)(cut - ((int64_t)lhs % rhs != 0 && (lhs < 0) != (rhs < 0)));
}

static int32_t rest_s32(int32_t lhs, int32_t rhs) {
  if (rhs == 0) {
    return 0;
  }
  const int64_t rest = (int64_t)lhs % rhs;
  return (int32_t)(rest != 0 && (rest < 0) != (rhs < 0) ? rest + rhs : rest);
}

// Of the lowest integer by -1 the quotient wraps.
static int64_t quotient_s64(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || rhs == -1) {
    return rhs == 0 ? 0 : (int64_t)(0 - (uint64_t)lhs);
  }
  return lhs / rhs - (lhs % rhs != 0 && (lhs < 0) != (rhs < 0));
}

static int64_t rest_s64(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || rhs == -1) {
    return 0;
  }
  const int64_t rest = lhs % rhs;
  return rest != 0 && (rest < 0) != (rhs < 0) ? rest + rhs : rest;
}

static float quotient_f32(float lhs, float rhs) {
  const double quotient = (double)lhs / (double)rhs;
  if (!(quotient > -WHOLE_DOUBLES_FROM && quotient < WHOLE_DOUBLES_FROM)) {
    return (float)quotient;
  }
  const double cut = (double)(int64_t)quotient;
  if (cut == quotient) {
    return (float)quotient;  // with the sign of a zero
  }
  return (float)(cut > quotient ? cut - 1.0 : cut);
}

// What the quotient cut towards 0 leaves, exactly: long division, digit after digit.
static float cut_rest(float lhs, float rhs) {
  if (lhs != lhs || rhs != rhs || rhs == 0.0f || magnitude(lhs) == infinity()) {
    return not_a_number();
  }
  if (magnitude(lhs) < magnitude(rhs)) {
    return lhs;
  }
  int32_t exponent = 0;
  int32_t unit = 0;
  const uint32_t divisor = fraction_of(rhs, &unit);
  uint32_t rest = fraction_of(lhs, &exponent) % divisor;
  for (; exponent > unit; --exponent) {
    rest = (rest << 1) % divisor;
  }
  // Two steps: the unit may be that of subnormal numbers. Neither rounds.
  const float result = (float)rest * power_of_two(unit / 2) * power_of_two(unit - unit / 2);
  return bits_of(lhs) & SIGN_MASK ? negated(result) : result;
}

static float rest_f32(float lhs, float rhs) {
  const float rest = cut_rest(lhs, rhs);
  return rest != 0.0f && (rest < 0.0f) != (rhs < 0.0f) ? rest + rhs : rest;
}

DEFINE_PLAIN(tinsmith_floor_div_s32, int32_t, quotient_s32(left, right))
DEFINE_PLAIN(tinsmith_floor_div_s64, int64_t, quotient_s64(left, right))
DEFINE_PLAIN(tinsmith_floor_div_f32, float, quotient_f32(left, right))
DEFINE_PLAIN(tinsmith_floor_mod_s32, int32_t, rest_s32(left, right))
DEFINE_PLAIN(tinsmith_floor_mod_s64, int64_t, rest_s64(left, right))
DEFINE_PLAIN(tinsmith_floor_mod_f32, float, rest_f32(left, right))
