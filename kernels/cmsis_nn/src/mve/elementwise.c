/* Elementwise operators on MVE: four int32 lanes, tail-predicated. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/mve/requantize.h"

/** (value + offset) << left_shift, as one multiply and add: unit is 2^left_shift, shifted_offset is offset * unit. */
static inline int32x4_t raise(int32x4_t value, int32x4_t unit, int32_t shifted_offset) {
  return vmlasq_n_s32(value, unit, shifted_offset);
}

arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *input_1_vect, const int8_t *input_2_vect, const int32_t input_1_offset, const int32_t input_1_mult,
    const int32_t input_1_shift, const int32_t input_2_offset, const int32_t input_2_mult, const int32_t input_2_shift,
    const int32_t left_shift, int8_t *output, const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
    const int32_t out_activation_min, const int32_t out_activation_max, const int32_t block_size) {
  const mve_uniform_scale scale_1 = mve_uniform(input_1_mult, input_1_shift);
  const mve_uniform_scale scale_2 = mve_uniform(input_2_mult, input_2_shift);
  const mve_uniform_scale scale_out = mve_uniform(out_mult, out_shift);
  const mve_output_range range = {out_offset, out_activation_min, out_activation_max};
  const int32_t unit = 1 << left_shift;
  const int32x4_t units = vdupq_n_s32(unit);
  for (int32_t left = block_size; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    int32x4_t a = raise(vldrbq_z_s32(input_1_vect, p), units, input_1_offset * unit);
    int32x4_t b = raise(vldrbq_z_s32(input_2_vect, p), units, input_2_offset * unit);
    a = mve_requantize_uniform_right(a, &scale_1);
    b = mve_requantize_uniform_right(b, &scale_2);
    const int32x4_t sum = mve_requantize_uniform_right(vaddq_s32(a, b), &scale_out);
    vstrbq_p_s32(output, mve_to_range(sum, &range), p);
    input_1_vect += kWordLanes;
    input_2_vect += kWordLanes;
    output += kWordLanes;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** What the elements of a product have in common. */
typedef struct {
  int32_t offset_1;
  int32_t offset_2;
  mve_uniform_scale scale;
  mve_output_range range;
} product;

/** shifts_left: a constant, so that the usual loop does without. */
TINSMITH_ALWAYS_INLINE void multiply(const product *m, bool shifts_left, const int8_t *input_1, const int8_t *input_2,
                                     int8_t *output, int32_t count) {
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t a = vaddq_n_s32(vldrbq_z_s32(input_1, p), m->offset_1);
    const int32x4_t b = vaddq_n_s32(vldrbq_z_s32(input_2, p), m->offset_2);
    const int32x4_t raised = shifts_left ? vshlq_r_s32(vmulq_s32(a, b), m->scale.left) : vmulq_s32(a, b);
    vstrbq_p_s32(output, mve_to_range(mve_requantize_uniform_right(raised, &m->scale), &m->range), p);
    input_1 += kWordLanes;
    input_2 += kWordLanes;
    output += kWordLanes;
  }
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           const int32_t input_1_offset, const int32_t input_2_offset, int8_t *output,
                                           const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                           const int32_t out_activation_min, const int32_t out_activation_max,
                                           const int32_t block_size) {
  const product m = {
      .offset_1 = input_1_offset,
      .offset_2 = input_2_offset,
      .scale = mve_uniform(out_mult, out_shift),
      .range = {out_offset, out_activation_min, out_activation_max},
  };
  if (m.scale.left > 0) {
    multiply(&m, true, input_1_vect, input_2_vect, output, block_size);
  } else {
    multiply(&m, false, input_1_vect, input_2_vect, output, block_size);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static void clamp(int8_t *data, int32_t size, int8_t min, int8_t max) {
  const int8x16_t least = vdupq_n_s8(min);
  const int8x16_t most = vdupq_n_s8(max);
  for (int32_t left = size; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t value = vmaxq_s8(vldrbq_z_s8(data, p), least);
    vstrbq_p_s8(data, vminq_s8(value, most), p);
    data += kByteLanes;
  }
}

void arm_relu_q7(int8_t *data, uint16_t size) {
  clamp(data, size, 0, INT8_MAX);
}

void arm_relu6_s8(int8_t *data, uint16_t size) {
  clamp(data, size, 0, 6);
}

#endif /* TINSMITH_NN_MVE */
