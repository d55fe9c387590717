/* Layers of LSTM cells (common/lstm_cells.h) on MVE: eight cells are a vector. VQRDMULH on int16 is gemmlowp's product
 * of two numbers in Q0, so the curves of internal/curves_q15.h are the same here, instruction by instruction. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/curves_q15.h"
#include "src/internal/dots.h"
#include "src/mve/requantize.h"

_Static_assert((int)kDotRows == (int)kWordLanes, "sums of four rows are a vector");

static void add_scaled(int16_t *gate, const int32_t *sums, const cmsis_nn_per_tensor_quant_params *scale) {
  const mve_uniform_scale uniform = mve_uniform(scale->multiplier, scale->shift);
  const int32x4_t scaled = mve_requantize_uniform(vldrwq_s32(sums), &uniform);
  const mve_output_range range = {0, INT16_MIN, INT16_MAX};
  vstrhq_s32(gate, mve_to_range(vqaddq_s32(vldrhq_s32(gate), scaled), &range));
}

/** tinsmith_exp_q15() */
static inline int16x8_t exponential_of(int16x8_t value, int32_t integer_bits) {
  static const int16_t powers[kPowers] = TINSMITH_EXP_OF_POWERS;
  const int16_t quarter = (int16_t)(1 << (13 - integer_bits));
  const int16x8_t fraction = vsubq_n_s16(vandq_s16(value, vdupq_n_s16((int16_t)(quarter - 1))), quarter);
  const int16x8_t quarters = vsubq_s16(fraction, value);
  const int16x8_t x = vaddq_n_s16(vshlq_r_s16(fraction, integer_bits), kOneEighth);
  const int16x8_t x2 = vqrdmulhq_s16(x, x);
  const int16x8_t x3 = vqrdmulhq_s16(x2, x);
  const int16x8_t x4_over_4 = vrshrq_n_s16(vqrdmulhq_s16(x2, x2), 2);
  const int16x8_t cubic = vqrdmulhq_n_s16(vaddq_s16(x4_over_4, x3), kOneThird);
  const int16x8_t higher = vrhaddq_s16(cubic, x2);
  int16x8_t result = vqaddq_n_s16(vqrdmulhq_n_s16(vaddq_s16(x, higher), kExpOfMinusOneEighth), kExpOfMinusOneEighth);
  for (int32_t i = 0; i < integer_bits + 2 && i < kPowers; ++i) {
    const int16x8_t bit = vandq_s16(quarters, vdupq_n_s16((int16_t)(quarter << i)));
    result = vqrdmulhq_m_n_s16(result, result, powers[i], vcmpneq_n_s16(bit, 0));
  }
  if (integer_bits > 5) {
    result = vdupq_m_n_s16(result, 0, vcmpltq_n_s16(value, (int16_t)(-128 * quarter)));
  }
  return result;
}

/** tinsmith_twice_reciprocal_q15() */
static inline int16x8_t twice_reciprocal(int16x8_t value) {
  const int16x8_t half = vaddq_n_s16(vshrq_n_s16(value, 1), 1 << 14);
  int16x8_t x = vaddq_n_s16(vqrdmulhq_n_s16(half, kReciprocalSlope), kReciprocalStart);
  for (int32_t step = 0; step < 3; ++step) {
    const int16x8_t error = vsubq_s16(vdupq_n_s16(kQ2One), vqrdmulhq_s16(half, x));
    x = vaddq_s16(x, vshlq_n_s16(vqrdmulhq_s16(x, error), 2));
  }
  return x;
}

/** -|value| */
static inline int16x8_t negative(int16x8_t value) {
  return vminq_s16(value, vnegq_s16(value));
}

static void logistic(int16_t *values, int32_t count) {
  (void)count;
  const int16x8_t value = vldrhq_s16(values);
  const int16x8_t x = twice_reciprocal(exponential_of(negative(value), kGateIntegerBits));
  const int16x8_t above = vqaddq_s16(x, x);
  const int16x8_t below = vsubq_s16(vdupq_n_s16(kQ0One), above);
  const int16x8_t result = vpselq_s16(above, below, vcmpgtq_n_s16(value, 0));
  vstrhq_s16(values, vdupq_m_n_s16(result, 1 << 14, vcmpeqq_n_s16(value, 0)));
}

static void hyperbolic_tangent(int16_t *values, int32_t count, int32_t integer_bits) {
  (void)count;
  const int16x8_t value = vldrhq_s16(values);
  const int16x8_t x = twice_reciprocal(exponential_of(negative(value), integer_bits + 1));
  const int16x8_t above = vqshlq_n_s16(vsubq_n_s16(x, kQ2One), 2);
  const int16x8_t result = vpselq_s16(above, vnegq_s16(above), vcmpgtq_n_s16(value, 0));
  vstrhq_s16(values, vdupq_m_n_s16(result, 0, vcmpeqq_n_s16(value, 0)));
}

/** Even and odd lanes of int32, saturated to int16. */
static inline int16x8_t narrowed(int32x4_t even, int32x4_t odd) {
  return vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
}

static inline void update_cells(const tinsmith_lstm_layer *layer, const gates *g, int32_t count, int16_t *cells) {
  (void)count;
  const int16x8_t forget = vldrhq_s16(g->forget), fresh = vldrhq_s16(g->fresh), taken = vldrhq_s16(g->taken);
  const int16x8_t before = vldrhq_s16(cells);
  const int32x4_t to_q0 = vdupq_n_s32(-15), to_cells = vdupq_n_s32(-15 - layer->cell_integer_bits);
  const int32x4_t even = vaddq_s32(mve_divide_by_power(vmullbq_int_s16(forget, before), to_q0),
                                   mve_divide_by_power(vmullbq_int_s16(taken, fresh), to_cells));
  const int32x4_t odd = vaddq_s32(mve_divide_by_power(vmulltq_int_s16(forget, before), to_q0),
                                  mve_divide_by_power(vmulltq_int_s16(taken, fresh), to_cells));
  const int16x8_t raised = vmaxq_s16(narrowed(even, odd), vdupq_n_s16((int16_t)layer->cell_range.min));
  vstrhq_s16(cells, vminq_s16(raised, vdupq_n_s16((int16_t)layer->cell_range.max)));
}

static inline void leave_cells(const tinsmith_lstm_layer *layer, const gates *g, const int16_t *bounded, int32_t count,
                               int8_t *hidden) {
  const mve_uniform_scale scale = mve_uniform(layer->hidden_scale.multiplier, layer->hidden_scale.shift);
  const int16x8_t opened = vldrhq_s16(g->opened), values = vldrhq_s16(bounded);
  const int32x4_t even = mve_requantize_uniform(vmullbq_int_s16(opened, values), &scale);
  const int32x4_t odd = mve_requantize_uniform(vmulltq_int_s16(opened, values), &scale);
  const int16x8_t moved = vqaddq_n_s16(narrowed(even, odd), (int16_t)layer->hidden_zero_point);
  const int16x8_t clamped = vminq_s16(vmaxq_s16(moved, vdupq_n_s16(INT8_MIN)), vdupq_n_s16(INT8_MAX));
  vstrbq_p_s16(hidden, clamped, vctp16q((uint32_t)count));
}

#include "src/common/lstm_cells.h"

#endif /* TINSMITH_NN_MVE */
