// Functions of one float whose bits no libm decides, and of integers.
#include "tinsmith/functions.h"

#include "arcs.h"
#include "exponential.h"
#include "float_functions.h"
#include "hyperbolics.h"
#include "trigonometry.h"

#define EXPM1_LOWEST (-20.0f)                 // exp(x) - 1 is -1 from here on, and some way before
#define ERFC_HIGHEST 11.0f                    // erfc is 0 from here on, and some way before
#define ERFC_UPPER_BITS UINT32_C(0xFFFFF000)  // of a float whose square is exact
#define ROOT_HALF 0.70710678f
#define ROOT_2_OVER_PI 0.79788456f

// Of erfc, the highest power first.
static const float kErfc[] = {0.14653717f,  -0.030171918f, -0.26214588f, 0.10857897f, 0.27930433f,
                              -0.15764043f, -0.37506151f,  0.18936585f,  1.3452854f,  -0.67179406f};

// Of erf(x) / x - 1 by x**2, the highest power first.
static const float kErf[] = {7.85384982843e-5f, -0.000801020269927f, 0.00518833048259f, -0.0268538145821f,
                             0.112835852486f,   -0.376126258375f,    0.12837916573f};

static float square(float value) {
  return value * value;
}

static float sign(float value) {
  return value > 0.0f ? 1.0f : value < 0.0f ? -1.0f : 0.0f;
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

static float inverse_root(float value) {
  return 1.0f / square_root(value);
}

// A square of a root: that reaches the ends of float, which `exponential` does not.
static float full_exponential(float value) {
  const float root = exponential(value * 0.5f);
  return root * root;
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

static float error_function(float value) {
  const float size = magnitude(value);
  if (!(size < 1.0f)) {
    const float positive = 1.0f - error_function_complement(size);
    return value < 0.0f ? -positive : positive;
  }
  const float z = size * size;
  float polynomial = kErf[0];
  for (int32_t i = 1; i < (int32_t)(sizeof kErf / sizeof kErf[0]); ++i) {
    polynomial = polynomial * z + kErf[i];
  }
  return value + value * polynomial;
}

static float gelu(float value) {
  return 0.5f * value * error_function_complement(value * -ROOT_HALF);
}

static float gelu_by_tanh(float value) {
  const float cubic = value + 0.044715f * value * value * value;
  return 0.5f * value * (1.0f + hyperbolic_tangent(ROOT_2_OVER_PI * cubic));
}

// Integers wrap as the hardware does.
static int32_t negated_s32(int32_t value) {
  return (int32_t)(UINT32_C(0) - (uint32_t)value);
}

static int32_t magnitude_s32(int32_t value) {
  return value < 0 ? negated_s32(value) : value;
}

static int32_t sign_s32(int32_t value) {
  return (value > 0) - (value < 0);
}

static int64_t negated_s64(int64_t value) {
  return (int64_t)(UINT64_C(0) - (uint64_t)value);
}

static int64_t magnitude_s64(int64_t value) {
  return value < 0 ? negated_s64(value) : value;
}

static int64_t sign_s64(int64_t value) {
  return (value > 0) - (value < 0);
}

static float sine(float value) {
  return turned(value, 0);
}

static float cosine(float value) {
  return turned(value, 1);
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
DEFINE_FUNCTION(tinsmith_erf_f32, float, error_function)
DEFINE_FUNCTION(tinsmith_exp_f32, float, full_exponential)
DEFINE_FUNCTION(tinsmith_log_f32, float, logarithm)
DEFINE_FUNCTION(tinsmith_sin_f32, float, sine)
DEFINE_FUNCTION(tinsmith_cos_f32, float, cosine)
DEFINE_FUNCTION(tinsmith_acos_f32, float, arc_cosine)
DEFINE_FUNCTION(tinsmith_acosh_f32, float, inverse_hyperbolic_cosine)
DEFINE_FUNCTION(tinsmith_asin_f32, float, arc_sine)
DEFINE_FUNCTION(tinsmith_asinh_f32, float, inverse_hyperbolic_sine)
DEFINE_FUNCTION(tinsmith_atan_f32, float, arc_tangent)
DEFINE_FUNCTION(tinsmith_atanh_f32, float, inverse_hyperbolic_tangent)
DEFINE_FUNCTION(tinsmith_cosh_f32, float, hyperbolic_cosine)
DEFINE_FUNCTION(tinsmith_sinh_f32, float, hyperbolic_sine)
DEFINE_FUNCTION(tinsmith_tan_f32, float, tangent)
DEFINE_FUNCTION(tinsmith_elu_f32, float, exponential_linear)
DEFINE_FUNCTION(tinsmith_gelu_f32, float, gelu)
DEFINE_FUNCTION(tinsmith_gelu_by_tanh_f32, float, gelu_by_tanh)

DEFINE_FUNCTION(tinsmith_abs_s32, int32_t, magnitude_s32)
DEFINE_FUNCTION(tinsmith_neg_s32, int32_t, negated_s32)
DEFINE_FUNCTION(tinsmith_sign_s32, int32_t, sign_s32)
DEFINE_FUNCTION(tinsmith_abs_s64, int64_t, magnitude_s64)
DEFINE_FUNCTION(tinsmith_neg_s64, int64_t, negated_s64)
DEFINE_FUNCTION(tinsmith_sign_s64, int64_t, sign_s64)
