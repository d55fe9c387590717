/* What an LSTM layer of arm_lstm_unidirectional_s8() and its like does value by value: sums to gates, gates to cells,
 * cells to outputs. MVE takes four at a time.
 */
#ifndef TINSMITH_NN_INTERNAL_LSTM_VALUES_H
#define TINSMITH_NN_INTERNAL_LSTM_VALUES_H

#include <stdint.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"

#if TINSMITH_NN_MVE
#include "src/mve/requantize.h"
#endif

static inline int16_t tinsmith_saturate_s16(int32_t value) {
#if defined(__ARM_FEATURE_SAT)
  int32_t saturated;
  __asm__("ssat %0, #16, %1" : "=r"(saturated) : "r"(value));
  return (int16_t)saturated;
#else
  return (int16_t)tinsmith_clamp(value, INT16_MIN, INT16_MAX);
#endif
}

/** gate[i] = saturate(gate[i] + scaled(bias[i] + sums[i])), in 64 bits. */
static inline void tinsmith_add_scaled_s64(int16_t *gate, const int64_t *bias, const int32_t *sums, int32_t count,
                                           const tinsmith_scale_s64 *scale) {
  const int16_t *end = gate + count;
  TINSMITH_NO_UNROLL
  while (gate != end) {
    const int32_t scaled = tinsmith_scale_sum_s64(*bias++ + *sums++, scale);
    *gate = tinsmith_saturate_s16(*gate + scaled);
    ++gate;
  }
}

#if TINSMITH_NN_MVE

/** gate[i] = saturate(gate[i] + scaled(sums[i])) */
static inline void tinsmith_add_scaled_s32(int16_t *gate, const int32_t *sums, int32_t count, int32_t multiplier,
                                           int32_t shift) {
  const mve_uniform_scale scale = mve_uniform(multiplier, shift);
  const mve_output_range range = {0, INT16_MIN, INT16_MAX};
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t scaled = mve_requantize_uniform(vldrwq_z_s32(sums, p), &scale);
    const int32x4_t sum = vqaddq_s32(vldrhq_z_s32(gate, p), scaled);
    vstrhq_p_s32(gate, mve_to_range(sum, &range), p);
    sums += kWordLanes;
    gate += kWordLanes;
  }
}

/** cell[i] = clamped(cell[i] + scaled(a[i] * b[i])) */
static inline void tinsmith_add_to_cells(int16_t *cell, const int16_t *a, const int16_t *b, int32_t count,
                                         const cmsis_nn_lstm_params *params) {
  const mve_uniform_scale scale = mve_uniform(params->input_to_cell_multiplier, params->input_to_cell_shift);
  const mve_output_range range = {0, -params->cell_clip, params->cell_clip};
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(a, p), vldrhq_z_s32(b, p));
    const int32x4_t sum = vaddq_s32(vldrhq_z_s32(cell, p), mve_requantize_uniform(product, &scale));
    vstrhq_p_s32(cell, mve_to_range(sum, &range), p);
    a += kWordLanes;
    b += kWordLanes;
    cell += kWordLanes;
  }
}

/** output[i] = saturate(scaled(a[i] * b[i]) + offset) */
static inline void tinsmith_leave_cells_s8(int8_t *output, const int16_t *a, const int16_t *b, int32_t count,
                                           const cmsis_nn_lstm_params *params) {
  const mve_uniform_scale scale = mve_uniform(params->output_multiplier, params->output_shift);
  const mve_output_range range = {params->output_offset, INT8_MIN, INT8_MAX};
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(a, p), vldrhq_z_s32(b, p));
    vstrbq_p_s32(output, mve_to_range(mve_requantize_uniform(product, &scale), &range), p);
    a += kWordLanes;
    b += kWordLanes;
    output += kWordLanes;
  }
}

/** The same of int16. */
static inline void tinsmith_leave_cells_s16(int16_t *output, const int16_t *a, const int16_t *b, int32_t count,
                                            const cmsis_nn_lstm_params *params) {
  const mve_uniform_scale scale = mve_uniform(params->output_multiplier, params->output_shift);
  const mve_output_range range = {params->output_offset, INT16_MIN, INT16_MAX};
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t product = vmulq_s32(vldrhq_z_s32(a, p), vldrhq_z_s32(b, p));
    vstrhq_p_s32(output, mve_to_range(mve_requantize_uniform(product, &scale), &range), p);
    a += kWordLanes;
    b += kWordLanes;
    output += kWordLanes;
  }
}

#else

/** gate[i] = saturate(gate[i] + scaled(sums[i])) */
static inline void tinsmith_add_scaled_s32(int16_t *gate, const int32_t *sums, int32_t count, int32_t multiplier,
                                           int32_t shift) {
  const tinsmith_scale scale = tinsmith_scale_of(multiplier, shift);
  const int16_t *end = gate + count;
  TINSMITH_NO_UNROLL
  while (gate != end) {
    *gate = tinsmith_saturate_s16(*gate + tinsmith_scale_sum(*sums++, &scale));
    ++gate;
  }
}

/** cell[i] = clamped(cell[i] + scaled(a[i] * b[i])) */
static inline void tinsmith_add_to_cells(int16_t *cell, const int16_t *a, const int16_t *b, int32_t count,
                                         const cmsis_nn_lstm_params *params) {
  const tinsmith_scale scale = tinsmith_scale_of(params->input_to_cell_multiplier, params->input_to_cell_shift);
  const int32_t clip = params->cell_clip;
  const int16_t *end = cell + count;
  TINSMITH_NO_UNROLL
  while (cell != end) {
    const int32_t added = tinsmith_scale_sum(*a++ * *b++, &scale);
    *cell = (int16_t)tinsmith_clamp(*cell + added, -clip, clip);
    ++cell;
  }
}

/** output[i] = saturate(scaled(a[i] * b[i]) + offset) */
static inline void tinsmith_leave_cells_s8(int8_t *output, const int16_t *a, const int16_t *b, int32_t count,
                                           const cmsis_nn_lstm_params *params) {
  const tinsmith_scale scale = tinsmith_scale_of(params->output_multiplier, params->output_shift);
  const int32_t offset = params->output_offset;
  const int8_t *end = output + count;
  TINSMITH_NO_UNROLL
  while (output != end) {
    *output++ = tinsmith_saturate_s8(tinsmith_scale_sum(*a++ * *b++, &scale) + offset);
  }
}

/** The same of int16. */
static inline void tinsmith_leave_cells_s16(int16_t *output, const int16_t *a, const int16_t *b, int32_t count,
                                            const cmsis_nn_lstm_params *params) {
  const tinsmith_scale scale = tinsmith_scale_of(params->output_multiplier, params->output_shift);
  const int32_t offset = params->output_offset;
  const int16_t *end = output + count;
  TINSMITH_NO_UNROLL
  while (output != end) {
    *output++ = tinsmith_saturate_s16(tinsmith_scale_sum(*a++ * *b++, &scale) + offset);
  }
}

#endif

#endif /* TINSMITH_NN_INTERNAL_LSTM_VALUES_H */
