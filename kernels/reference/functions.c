// Functions of one float whose bits no libm decides, and of int32.
#include "tinsmith/functions.h"

#include <string.h>

#include "exponential.h"

#define EXPM1_LOWEST (-20.0f)  // exp(x) - 1 is -1 from here on, and some way before
#define WHOLE_FROM 8388608.0f  // 2**23: from here on all floats are integers
#define FRACTION_MASK INT32_C(0x7FFFFF)
#define SIGN_MASK UINT32_C(0x80000000)
#define ROOT_HALF_BITS INT32_C(0x3F3504F3)  // of the float next to the root of 1/2
#define SUBNORMAL_BITS 25
#define ERFC_HIGHEST 11.0f                    // erfc is 0 from here on, and some way before
#define ERFC_UPPER_BITS UINT32_C(0xFFFFF000)  // of a float whose square is exact
#define ROOT_HALF 0.70710678f
#define ROOT_2_OVER_PI 0.79788456f
#define ROOT_BITS 25  // of a root, one of them for rounding

// Of erfc, the highest power first.
static const float kErfc[] = {0.14653717f,  -0.030171918f, -0.26214588f, 0.10857897f, 0.27930433f,
                              -0.15764043f, -0.37506151f,  0.18936585f,  1.3452854f,  -0.67179406f};

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float infinity(void) {
  return float_of(UINT32_C(0x7F800000));
}

static float not_a_number(void) {
  return float_of(UINT32_C(0x7FC00000));
}

static float magnitude(float value) {
  return float_of(bits_of(value) & ~SIGN_MASK);
}

static float negated(float value) {
  return float_of(bits_of(value) ^ SIGN_MASK);
}

static float square(float value) {
  return value * value;
}

static float sign(float value) {
  return value > 0.0f ? 1.0f : value < 0.0f ? -1.0f : 0.0f;
}

static float integer_below(float value) {
  if (!(magnitude(value) < WHOLE_FROM)) {
    return value;
  }
  const float whole = (float)(int32_t)value;
  if (whole == value) {
    return value;  // with the sign of a zero
  }
  return whole > value ? whole - 1.0f : whole;
}

static float integer_above(float value) {
  return negated(integer_below(negated(value)));
}

static float nearest_even(float value) {
  const float lower = integer_below(value);
  const float rest = value - lower;
  const int is_even = lower * 0.5f == integer_below(lower * 0.5f);
  return rest < 0.5f || (rest == 0.5f && is_even) ? lower : lower + 1.0f;
}

// The root of an integer of 49 or 50 bits, down; bit by bit.
static uint32_t integer_root(uint64_t square) {
  uint32_t root = 0;
  for (uint32_t bit = UINT32_C(1) << (ROOT_BITS - 1); bit != 0; bit >>= 1) {
    const uint64_t candidate = root | bit;
    if (candidate * candidate <= square) {
      root |= bit;
    }
  }
  return root;
}

// The fraction, an integer of 24 bits, is shifted so that its root has 25; a root that is no integer is never a half.
static float square_root(float value) {
  if (!(value > 0.0f) || value == infinity()) {
    return value < 0.0f ? not_a_number() : value;
  }
  const int is_subnormal = bits_of(value) <= (uint32_t)FRACTION_MASK;
  const uint32_t bits = bits_of(is_subnormal ? value * 16777216.0f : value);
  const uint64_t fraction = (bits & (uint32_t)FRACTION_MASK) | (UINT32_C(1) << FLOAT_FRACTION_BITS);
  const int32_t biased = (int32_t)(bits >> FLOAT_FRACTION_BITS) - (is_subnormal ? 24 : 0);
  const int32_t exponent = biased - FLOAT_EXPONENT_BIAS - FLOAT_FRACTION_BITS;
  const int32_t shift = exponent % 2 == 0 ? 26 : 25;
  const uint32_t root = integer_root(fraction << shift);
  return (float)((root + 1) >> 1) * power_of_two((exponent - shift) / 2 + 1);
}

static float inverse_root(float value) {
  return 1.0f / square_root(value);
}

// A square of a root: that reaches the ends of float, which `exponential` does not.
static float full_exponential(float value) {
  const float root = exponential(value * 0.5f);
  return root * root;
}

// fdlibm's: the mantissa m between the roots of 1/2 and 2, log(m) by s = (m - 1) / (m + 1).
static float logarithm(float value) {
  if (!(value > 0.0f) || value == infinity()) {
    return value == 0.0f ? -infinity() : value < 0.0f ? not_a_number() : value;
  }
  const int is_small = bits_of(value) <= (uint32_t)FRACTION_MASK;
  const int32_t bits = (int32_t)bits_of(is_small ? value * 33554432.0f : value) - ROOT_HALF_BITS;
  const float exponent = (float)((bits >> FLOAT_FRACTION_BITS) - (is_small ? SUBNORMAL_BITS : 0));
  const float f = float_of((uint32_t)((bits & FRACTION_MASK) + ROOT_HALF_BITS)) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float w = z * z;
  const float rest = z * (0.66666662693f + w * 0.28498786688f) + w * (0.40000972152f + w * 0.24279078841f);
  const float half_square = 0.5f * f * f;
  const float result = s * (half_square + rest) + exponent * EXPM1_LN2_LOW - half_square + f;
  return result + exponent * EXPM1_LN2_HIGH;
}

static float exponential_linear(float value) {
  if (!(value < 0.0f)) {
    return value;
  }
  return exponential_minus_one(value < EXPM1_LOWEST ? EXPM1_LOWEST : value);
}

// t exp(-x**2 + P(t)), t = 1 / (1 + |x| / 2), with a polynomial P fitted to erfc; x**2 in two parts, the first exact.
static float error_function_complement(float value) {
  const float size = magnitude(value);
  const float x = size > ERFC_HIGHEST ? ERFC_HIGHEST : size;
  const float t = 1.0f / (1.0f + 0.5f * x);
  const float u = t - 0.5f;
  float polynomial = kErfc[0];
  for (int32_t i = 1; i < (int32_t)(sizeof kErfc / sizeof kErfc[0]); ++i) {
    polynomial = polynomial * u + kErfc[i];
  }
  const float upper = float_of(bits_of(x) & ERFC_UPPER_BITS);
  const float rest = (upper - x) * (upper + x) + polynomial;
  const float positive = t * full_exponential(-upper * upper) * full_exponential(rest);
  return value < 0.0f ? 2.0f - positive : positive;
}

static float gelu(float value) {
  return 0.5f * value * error_function_complement(value * -ROOT_HALF);
}

static float gelu_by_tanh(float value) {
  const float cubic = value + 0.044715f * value * value * value;
  return 0.5f * value * (1.0f + hyperbolic_tangent(ROOT_2_OVER_PI * cubic));
}

// int32 wraps as the hardware does.
static int32_t negated_s32(int32_t value) {
  return (int32_t)(UINT32_C(0) - (uint32_t)value);
}

static int32_t magnitude_s32(int32_t value) {
  return value < 0 ? negated_s32(value) : value;
}

static int32_t sign_s32(int32_t value) {
  return (value > 0) - (value < 0);
}

#define DEFINE_FUNCTION(kernel, element, function)                       \
  void kernel(int32_t elements, const element *input, element *output) { \
    for (int32_t i = 0; i < elements; ++i) {                             \
      output[i] = function(input[i]);                                    \
    }                                                                    \
  }

DEFINE_FUNCTION(tinsmith_abs_f32, float, magnitude)
DEFINE_FUNCTION(tinsmith_neg_f32, float, negated)
DEFINE_FUNCTION(tinsmith_square_f32, float, square)
DEFINE_FUNCTION(tinsmith_sign_f32, float, sign)
DEFINE_FUNCTION(tinsmith_floor_f32, float, integer_below)
DEFINE_FUNCTION(tinsmith_ceil_f32, float, integer_above)
DEFINE_FUNCTION(tinsmith_round_f32, float, nearest_even)
DEFINE_FUNCTION(tinsmith_sqrt_f32, float, square_root)
DEFINE_FUNCTION(tinsmith_rsqrt_f32, float, inverse_root)
DEFINE_FUNCTION(tinsmith_exp_f32, float, full_exponential)
DEFINE_FUNCTION(tinsmith_log_f32, float, logarithm)
DEFINE_FUNCTION(tinsmith_elu_f32, float, exponential_linear)
DEFINE_FUNCTION(tinsmith_gelu_f32, float, gelu)
DEFINE_FUNCTION(tinsmith_gelu_by_tanh_f32, float, gelu_by_tanh)

DEFINE_FUNCTION(tinsmith_abs_s32, int32_t, magnitude_s32)
DEFINE_FUNCTION(tinsmith_neg_s32, int32_t, negated_s32)
DEFINE_FUNCTION(tinsmith_sign_s32, int32_t, sign_s32)
