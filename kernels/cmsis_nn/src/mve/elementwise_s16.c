/* Sum, product and rectifier of int16 on MVE: four int32 lanes, tail-predicated. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/mve/requantize.h"

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
  const mve_uniform_scale scale_1 = mve_uniform(input_1_mult, input_1_shift);
  const mve_uniform_scale scale_2 = mve_uniform(input_2_mult, input_2_shift);
  const mve_uniform_scale scale_out = mve_uniform(out_mult, out_shift);
  const mve_output_range range = {0, out_activation_min, out_activation_max};
  for (int32_t left = block_size; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    int32x4_t a = vshlq_r_s32(vldrhq_z_s32(input_1_vect, p), left_shift);
    int32x4_t b = vshlq_r_s32(vldrhq_z_s32(input_2_vect, p), left_shift);
    a = mve_requantize_uniform_right(a, &scale_1);
    b = mve_requantize_uniform_right(b, &scale_2);
    const int32x4_t sum = mve_requantize_uniform(vaddq_s32(a, b), &scale_out);
    vstrhq_p_s32(output, mve_to_range(sum, &range), p);
    input_1_vect += kWordLanes;
    input_2_vect += kWordLanes;
    output += kWordLanes;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** shifts_left: a constant, so that the usual loop does without. */
TINSMITH_ALWAYS_INLINE void multiply(const int16_t *input_1, const int16_t *input_2, const mve_uniform_scale *scale,
                                     bool shifts_left, const mve_output_range *range, int16_t *output, int32_t count) {
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(input_1, p), vldrhq_z_s32(input_2, p));
    const int32x4_t raised = shifts_left ? vshlq_r_s32(product, scale->left) : product;
    vstrhq_p_s32(output, mve_to_range(mve_requantize_uniform_right(raised, scale), range), p);
    input_1 += kWordLanes;
    input_2 += kWordLanes;
    output += kWordLanes;
  }
}

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
                                            const int32_t input_1_offset, const int32_t input_2_offset, int16_t *output,
                                            const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                            const int32_t out_activation_min, const int32_t out_activation_max,
                                            const int32_t block_size) {
  (void)input_1_offset;
  (void)input_2_offset;
  (void)out_offset;
  const mve_uniform_scale scale = mve_uniform(out_mult, out_shift);
  const mve_output_range range = {0, out_activation_min, out_activation_max};
  if (scale.left > 0) {
    multiply(input_1_vect, input_2_vect, &scale, true, &range, output, block_size);
  } else {
    multiply(input_1_vect, input_2_vect, &scale, false, &range, output, block_size);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

enum { kHalfLanes = 8 };

void arm_relu_q15(int16_t *data, uint16_t size) {
  const int16x8_t zero = vdupq_n_s16(0);
  for (int32_t left = size; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    vstrhq_p_s16(data, vmaxq_s16(vldrhq_z_s16(data, p), zero), p);
    data += kHalfLanes;
  }
}

#endif /* TINSMITH_NN_MVE */
