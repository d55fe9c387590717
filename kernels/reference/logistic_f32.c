// The logistic function and tanh of float, whose bits no libm decides.
#include "exponential.h"
#include "tinsmith/logistic.h"

#define LOGISTIC_LOWEST (-9.0f)
#define LOGISTIC_HIGHEST 16.619047164916992f
#define TANH_HIGHEST 10.0f  // tanh is 1 from here on, and some way before
#define EXPM1_LN2_HIGH 6.9313812256e-01f
#define EXPM1_LN2_LOW 9.0580006145e-06f

// Far below zero exp(x) alone, as the square of a root: that reaches down to where exp ends.
static float logistic(float value) {
  if (value > LOGISTIC_HIGHEST) {
    return 1.0f;
  }
  if (value < LOGISTIC_LOWEST) {
    const float root = exponential(value * 0.5f);
    return root * root;
  }
  return 1.0f / (1.0f + exponential(-value));
}

// exp(value) - 1 for values in [-2, 0] and [2, 20]: fdlibm's quotient, on r = value - n ln 2 with what r has lost.
static float exponential_minus_one(float value) {
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

static float hyperbolic_tangent(float value) {
  if (value == 0.0f || value != value) {
    return value;
  }
  const float magnitude = clamp_f32(value < 0.0f ? -value : value, 0.0f, TANH_HIGHEST);
  const int is_large = magnitude >= 1.0f;
  const float t = exponential_minus_one(is_large ? 2.0f * magnitude : -2.0f * magnitude);
  const float result = is_large ? 1.0f - 2.0f / (t + 2.0f) : -t / (t + 2.0f);
  return value < 0.0f ? -result : result;
}

void tinsmith_logistic_f32(int32_t elements, const float *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = logistic(input[i]);
  }
}

void tinsmith_tanh_f32(int32_t elements, const float *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = hyperbolic_tangent(input[i]);
  }
}
