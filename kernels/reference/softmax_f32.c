// Softmax of float with an exponential of its own, so that no libm decides the last bit.
#include "exponential.h"
#include "tinsmith/softmax.h"

static void softmax_row(int32_t depth, float beta, const float *input, float *output) {
  float largest = input[0];
  for (int32_t i = 1; i < depth; ++i) {
    largest = input[i] > largest ? input[i] : largest;
  }
  float sum = 0.0f;
  for (int32_t i = 0; i < depth; ++i) {
    output[i] = exponential((input[i] - largest) * beta);
    sum += output[i];
  }
  for (int32_t i = 0; i < depth; ++i) {
    output[i] = output[i] / sum;
  }
}

void tinsmith_softmax_f32(int32_t rows, int32_t depth, float beta, const float *input, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    softmax_row(depth, beta, input + row * depth, output + row * depth);
  }
}
