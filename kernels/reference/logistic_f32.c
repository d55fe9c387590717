// The logistic function and tanh of float, whose bits no libm decides.
#include "exponential.h"
#include "tinsmith/logistic.h"

#define LOGISTIC_LOWEST (-9.0f)
#define LOGISTIC_HIGHEST 16.619047164916992f
#define TANH_HIGHEST 10.0f  // tanh is 1 from here on, and some way before

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
