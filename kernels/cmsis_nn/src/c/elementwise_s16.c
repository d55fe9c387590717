/* Sum, product and rectifier of int16, for plain C and the DSP extension. */

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            const int32_t input_1_offset, const int32_t input_1_mult,
                                            const int32_t input_1_shift, const int32_t input_2_offset,
                                            const int32_t input_2_mult, const int32_t input_2_shift,
                                            const int32_t left_shift, int16_t *output, const int32_t out_offset,
                                            const int32_t out_mult, const int32_t out_shift,
                                            const int32_t out_activation_min, const int32_t out_activation_max,
                                            const int32_t block_size) {
  (void)input_1_offset;
  (void)input_2_offset;
  (void)out_offset;
  const int32_t unit = 1 << left_shift;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < block_size; ++i) {
    const int32_t sum = tinsmith_requantize(input_1_vect[i] * unit, input_1_mult, input_1_shift) +
                        tinsmith_requantize(input_2_vect[i] * unit, input_2_mult, input_2_shift);
    const int32_t value = tinsmith_requantize(sum, out_mult, out_shift);
    output[i] = (int16_t)tinsmith_clamp(value, out_activation_min, out_activation_max);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            const int32_t input_1_offset, const int32_t input_2_offset, int16_t *output,
                                            const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                            const int32_t out_activation_min, const int32_t out_activation_max,
                                            const int32_t block_size) {
  (void)input_1_offset;
  (void)input_2_offset;
  (void)out_offset;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < block_size; ++i) {
    const int32_t product = input_1_vect[i] * input_2_vect[i];
    const int32_t value = tinsmith_requantize(product, out_mult, out_shift);
    output[i] = (int16_t)tinsmith_clamp(value, out_activation_min, out_activation_max);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

void arm_relu_q15(int16_t *data, uint16_t size) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    data[i] = data[i] > 0 ? data[i] : 0;
  }
}

#endif /* !TINSMITH_NN_MVE */
