// The logistic function and tanh of float, whose bits no libm decides.
#include "exponential.h"
#include "tinsmith/logistic.h"

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
