// The logistic function and tanh of float, whose bits no libm decides.
#include "exponential.h"
#include "tinsmith/logistic.h"

#define LOGISTIC_LOWEST (-9.0f)
#define LOGISTIC_HIGHEST 16.619047164916992f

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
