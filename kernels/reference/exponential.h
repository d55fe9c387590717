// The exponential of float, of our own, exp(x) - 1, tanh and the logistic function, so that no libm decides the last
// bit.
#ifndef TINSMITH_KERNELS_REFERENCE_EXPONENTIAL_H_
#define TINSMITH_KERNELS_REFERENCE_EXPONENTIAL_H_

#include <string.h>

#include "arithmetic.h"
#include "float_rules.h"

#define LOG2_E 1.44269504f
#define ROUND_MAGIC 12582912.0f  // 1.5 * 2**23: adding and subtracting it rounds to an integer, ties to even
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-2.12194440e-4f)
#define EXPM1_LN2_HIGH 6.9313812256e-01f
#define EXPM1_LN2_LOW 9.0580006145e-06f
#define TANH_HIGHEST 10.0f  // tanh is 1 from here on, and some way before
#define LOGISTIC_LOWEST (-9.0f)
#define LOGISTIC_HIGHEST 16.619047164916992f
#define EXP_LOWEST (-87.0f)
#define EXP_HIGHEST 88.0f
#define FLOAT_EXPONENT_BIAS 127
#define FLOAT_FRACTION_BITS 23

// 2**exponent for exponent in [-126, 127].
static inline float power_of_two(int32_t exponent) {
  const uint32_t bits = (uint32_t)(exponent + FLOAT_EXPONENT_BIAS) << FLOAT_FRACTION_BITS;
  float power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// exp(x) = 2**n * exp(r), r = x - n ln 2 with ln 2 in two parts (Cody and Waite), exp(r) by the polynomial of Cephes.
static inline float exponential(float value) {
  if (value != value) {
    return value;  // NaN has no integer part
  }
  const float x = clamp_f32(value, EXP_LOWEST, EXP_HIGHEST);
  const float n = (x * LOG2_E + ROUND_MAGIC) - ROUND_MAGIC;
  const float r = (x - n * LN2_HIGH) - n * LN2_LOW;
  float polynomial = 1.9875691500e-4f;
  polynomial = polynomial * r + 1.3981999507e-3f;
  polynomial = polynomial * r + 8.3334519073e-3f;
  polynomial = polynomial * r + 4.1665795894e-2f;
  polynomial = polynomial * r + 1.6666665459e-1f;
  polynomial = polynomial * r + 5.0000001201e-1f;
  const float result = (polynomial * (r * r) + r) + 1.0f;
  return result * power_of_two((int32_t)n);
}

// exp(value) - 1 for values in [-20, 0] and [2, 20]: fdlibm's quotient, on r = value - n ln 2 with what r has lost.
static inline float exponential_minus_one(float value) {
  const int32_t n = (int32_t)(value * LOG2_E + (value < 0.0f ? -0.5f : 0.5f));
  const float high = value - (float)n * EXPM1_LN2_HIGH;
  const float low = (float)n * EXPM1_LN2_LOW;
  const float r = high - low;
  const float lost = (high - r) - low;
  const float half = 0.5f * r;
  const float square = r * half;
  float polynomial = -2.0109921195e-07f;
  polynomial = polynomial * square + 4.0082177293e-06f;
  polynomial = polynomial * square + -7.9365076090e-05f;
  polynomial = polynomial * square + 1.5873016091e-03f;
  polynomial = polynomial * square + -3.3333335072e-02f;
  polynomial = polynomial * square + 1.0f;
  const float t = 3.0f - polynomial * half;
  const float error = square * ((polynomial - t) / (6.0f - r * t));
  const float rest = ((r * (error - lost) - lost) - square) - r;
  const float power = power_of_two(n);
  return n <= -2 ? power * (1.0f - rest) - 1.0f : power * ((1.0f - 1.0f / power) - rest);
}

static inline float hyperbolic_tangent(float value) {
  if (value == 0.0f || value != value) {
    return value;
  }
  const float magnitude = clamp_f32(value < 0.0f ? -value : value, 0.0f, TANH_HIGHEST);
  const int is_large = magnitude >= 1.0f;
  const float t = exponential_minus_one(is_large ? 2.0f * magnitude : -2.0f * magnitude);
  const float result = is_large ? 1.0f - 2.0f / (t + 2.0f) : -t / (t + 2.0f);
  return value < 0.0f ? -result : result;
}

// Far below zero exp(x) alone, as the square of a root: that reaches down to where exp ends.
static inline float logistic(float value) {
  if (value > LOGISTIC_HIGHEST) {
    return 1.0f;
  }
  if (value < LOGISTIC_LOWEST) {
    const float root = exponential(value * 0.5f);
    return root * root;
  }
  return 1.0f / (1.0f + exponential(-value));
}

#endif  // TINSMITH_KERNELS_REFERENCE_EXPONENTIAL_H_
