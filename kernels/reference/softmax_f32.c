// Softmax of float with an exponential of its own, so that no libm decides the last bit.
#include <string.h>

#include "arithmetic.h"
#include "float_rules.h"
#include "tinsmith/softmax.h"

#define LOG2_E 1.44269504f
#define ROUND_MAGIC 12582912.0f  // 1.5 * 2**23: adding and subtracting it rounds to an integer, ties to even
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-2.12194440e-4f)
#define EXP_LOWEST (-87.0f)
#define EXP_HIGHEST 88.0f
#define FLOAT_EXPONENT_BIAS 127
#define FLOAT_FRACTION_BITS 23

// exp(x) = 2**n * exp(r), r = x - n ln 2 with ln 2 in two parts (Cody and Waite), exp(r) by the polynomial of Cephes.
static float exponential(float value) {
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
  const uint32_t bits = (uint32_t)((int32_t)n + FLOAT_EXPONENT_BIAS) << FLOAT_FRACTION_BITS;
  float power;
  memcpy(&power, &bits, sizeof power);
  return result * power;
}

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
