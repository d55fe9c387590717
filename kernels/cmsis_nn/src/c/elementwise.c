/* Sum and product of two tensors, for plain C and the DSP extension. */

#include "include/arm_nnfunctions.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

/** gemmlowp's SaturatingRoundingDoublingHighMul(a, multiplier) for |a| < 2^29 and multiplier >= 0. */
static inline int32_t multiply(int32_t a, int32_t multiplier) {
#if TINSMITH_NN_DSP
  /* (2 a m + 2^31) >> 32 */
  int32_t product;
  __asm__("smmulr %0, %1, %2" : "=r"(product) : "r"(2 * a), "r"(multiplier));
  return product;
#else
  /* floor((a m + 2^30) / 2^31) = (floor(a m / 2^30) + 1) >> 1: needs the high word of one product only. */
  const int32_t high = (int32_t)(((int64_t)(4 * a) * multiplier) >> 32);
  return (high + 1) >> 1;
#endif
}

/** gemmlowp's RoundingDivideByPOT by 2^exponent, exponent in [1, 22], plus `added` folded into half as
 * added * 2^exponent + 2^(exponent - 1). */
static inline int32_t divide(int32_t value, int32_t exponent, int32_t half) {
  return (value + (value >> 31) + half) >> exponent;
}

enum {
  kLeftShift = 20,           /* TFLite's head room for int8 sums */
  kHalfMultiplier = 1 << 30, /* of the input of larger scale: 0.5 */
  kLargestShift = 22
};

static inline bool is_divisor(int32_t shift) {
  return shift <= -1 && shift >= -kLargestShift;
}

/** The sum as TFLite's converter makes it, but for inputs of equal scale: one input is only shifted. For it
 * SaturatingRoundingDoublingHighMul((v + offset) << 20, 2^30) = (v + offset) << 19. */
TINSMITH_NOINLINE static void add_shifted(const int8_t *shifted, int32_t shifted_offset, const int8_t *scaled,
                                          int32_t scaled_offset, int32_t multiplier, int32_t exponent, int8_t *output,
                                          int32_t output_offset, int32_t output_multiplier, int32_t output_exponent,
                                          int32_t count) {
  const int32_t shifted_start = shifted_offset * (1 << (kLeftShift - 1));
  const int32_t scaled_start = scaled_offset * (1 << kLeftShift);
  const int32_t half = 1 << (exponent - 1);
  const int32_t output_half = tinsmith_half_and_zero_point(output_exponent, output_offset);
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int32_t first = shifted_start + shifted[i] * (1 << (kLeftShift - 1));
    const int32_t second = multiply(scaled_start + scaled[i] * (1 << kLeftShift), multiplier);
    const int32_t sum = multiply(first + divide(second, exponent, half), output_multiplier);
    output[i] = tinsmith_saturate_s8(divide(sum, output_exponent, output_half));
  }
}

/** Any parameters. */
TINSMITH_NOINLINE static void add_any(const int8_t *first, int32_t first_offset, int32_t first_multiplier,
                                      int32_t first_shift, const int8_t *second, int32_t second_offset,
                                      int32_t second_multiplier, int32_t second_shift, int32_t left_shift,
                                      int8_t *output, int32_t output_offset, int32_t output_multiplier,
                                      int32_t output_shift, int32_t count) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int32_t a = (int32_t)((uint32_t)(first[i] + first_offset) << left_shift);
    const int32_t b = (int32_t)((uint32_t)(second[i] + second_offset) << left_shift);
    const int32_t sum =
        tinsmith_requantize(a, first_multiplier, first_shift) + tinsmith_requantize(b, second_multiplier, second_shift);
    output[i] = tinsmith_saturate_s8(tinsmith_requantize(sum, output_multiplier, output_shift) + output_offset);
  }
}

arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, const int32_t input_1_offset, const int32_t input_1_mult,
    const int32_t input_1_shift, const int32_t input_2_offset, const int32_t input_2_mult, const int32_t input_2_shift,
    const int32_t left_shift, int8_t *output, const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
    const int32_t out_activation_min, const int32_t out_activation_max, const int32_t block_size) {
  const bool usual = left_shift == kLeftShift && is_divisor(out_shift);
  if (usual && input_1_mult == kHalfMultiplier && input_1_shift == 0 && is_divisor(input_2_shift)) {
    add_shifted(input_1_vect, input_1_offset, input_2_vect, input_2_offset, input_2_mult, -input_2_shift, output,
                out_offset, out_mult, -out_shift, block_size);
  } else if (usual && input_2_mult == kHalfMultiplier && input_2_shift == 0 && is_divisor(input_1_shift)) {
    add_shifted(input_2_vect, input_2_offset, input_1_vect, input_1_offset, input_1_mult, -input_1_shift, output,
                out_offset, out_mult, -out_shift, block_size);
  } else {
    add_any(input_1_vect, input_1_offset, input_1_mult, input_1_shift, input_2_vect, input_2_offset, input_2_mult,
            input_2_shift, left_shift, output, out_offset, out_mult, out_shift, block_size);
  }
  const cmsis_nn_activation activation = {out_activation_min, out_activation_max};
  tinsmith_apply_activation(&activation, output, block_size);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           const int32_t input_1_offset, const int32_t input_2_offset, int8_t *output,
                                           const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                           const int32_t out_activation_min, const int32_t out_activation_max,
                                           const int32_t block_size) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < block_size; ++i) {
    const int32_t product = (input_1_vect[i] + input_1_offset) * (input_2_vect[i] + input_2_offset);
    const int32_t value = tinsmith_requantize(product, out_mult, out_shift) + out_offset;
    output[i] = (int8_t)tinsmith_clamp(value, out_activation_min, out_activation_max);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* !TINSMITH_NN_MVE */
