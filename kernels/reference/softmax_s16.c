// Softmax of int16 by tables of the exponential and of 1 / (1 + x). All values have 15 fraction bits.
#include "arithmetic.h"
#include "interpolation_s16.h"
#include "tinsmith/softmax.h"

#define THREE_HALVES (3 << 15)  // the middle of the sums that are normalised to [1, 2], in units of 2**-16

// Writes the exponentials of a row, and returns their sum: above 0, since the largest element's is nearly 1.
static int32_t exponentials(int32_t depth, const tinsmith_softmax_s16_parameters *parameters, const int16_t *input,
                            int16_t *output) {
  int32_t largest = input[0];
  for (int32_t i = 1; i < depth; ++i) {
    largest = input[i] > largest ? input[i] : largest;
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t scaled = scale_s32(input[i] - largest, parameters->multiplier, parameters->shift);
    output[i] = interpolated(parameters->exponential, clamp_s32(scaled + INT16_MAX, INT16_MIN, INT16_MAX));
    sum += output[i];
  }
  return sum;
}

static void softmax_row(int32_t depth, const tinsmith_softmax_s16_parameters *parameters, const int16_t *input,
                        int16_t *output) {
  const int32_t sum = exponentials(depth, parameters, input, output);
  int32_t exponent = 30;
  while ((sum >> exponent) == 0) {
    --exponent;
  }
  const uint32_t normalised = (uint32_t)sum << (30 - exponent);
  const int32_t place = (int32_t)((normalised + (UINT32_C(1) << 13)) >> 14) - THREE_HALVES;
  const int32_t reciprocal = interpolated(parameters->reciprocal, clamp_s32(place, INT16_MIN, INT16_MAX));
  for (int32_t i = 0; i < depth; ++i) {
    const int32_t share = (output[i] * reciprocal + (1 << (exponent - 1))) >> exponent;
    output[i] = (int16_t)clamp_s32(share, 0, INT16_MAX);
  }
}

void tinsmith_softmax_s16(int32_t rows, int32_t depth, const tinsmith_softmax_s16_parameters *parameters,
                          const int16_t *input, int16_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    softmax_row(depth, parameters, input + row * depth, output + row * depth);
  }
}
