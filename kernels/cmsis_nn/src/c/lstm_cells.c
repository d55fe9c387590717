/* Layers of LSTM cells (common/lstm_cells.h), cell by cell, for plain C and the DSP extension: sums are made by the
 * loops of each (dots.c). */
#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

#include "src/internal/compiler.h"
#include "src/internal/curves_q15.h"
#include "src/internal/dots.h"
#include "src/internal/requantize.h"

static inline int32_t saturate_s16(int32_t value) {
#if defined(__ARM_FEATURE_SAT)
  int32_t saturated;
  __asm__("ssat %0, #16, %1" : "=r"(saturated) : "r"(value));
  return saturated;
#else
  return tinsmith_clamp(value, INT16_MIN, INT16_MAX);
#endif
}

/** A number so small that it may be added to any of int16, with what the sum saturates to. */
static inline int32_t bounded_sum(int32_t value) {
#if defined(__ARM_FEATURE_SAT)
  int32_t saturated;
  __asm__("ssat %0, #18, %1" : "=r"(saturated) : "r"(value));
  return saturated;
#else
  return tinsmith_clamp(value, 2 * INT16_MIN, 2 * INT16_MAX + 1);
#endif
}

static void add_scaled(int16_t *gate, const int32_t *sums, const cmsis_nn_per_tensor_quant_params *scale) {
  const int32_t multiplier = scale->multiplier, shift = scale->shift;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < kDotRows; ++i) {
    gate[i] = (int16_t)saturate_s16(gate[i] + bounded_sum(tinsmith_requantize(sums[i], multiplier, shift)));
  }
}

static void logistic(int16_t *values, int32_t count) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    values[i] = (int16_t)tinsmith_logistic_q15(values[i]);
  }
}

static void hyperbolic_tangent(int16_t *values, int32_t count, int32_t integer_bits) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    values[i] = (int16_t)tinsmith_tanh_q15(values[i], integer_bits, kPowers);
  }
}

static inline void update_cells(const tinsmith_lstm_layer *layer, const gates *g, int32_t count, int16_t *cells) {
  const int32_t shift = 15 + layer->cell_integer_bits;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int32_t kept = tinsmith_rounding_divide(g->forget[i] * cells[i], 15);
    const int32_t added = tinsmith_rounding_divide(g->taken[i] * g->fresh[i], shift);
    cells[i] = (int16_t)tinsmith_clamp(kept + added, layer->cell_range.min, layer->cell_range.max);
  }
}

static inline void leave_cells(const tinsmith_lstm_layer *layer, const gates *g, const int16_t *bounded, int32_t count,
                               int8_t *hidden) {
  const int32_t multiplier = layer->hidden_scale.multiplier, shift = layer->hidden_scale.shift;
  const int32_t zero_point = layer->hidden_zero_point;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = tinsmith_requantize(g->opened[i] * bounded[i], multiplier, shift);
    hidden[i] = tinsmith_saturate_s8(bounded_sum(scaled) + zero_point);
  }
}

#include "src/common/lstm_cells.h"

#endif /* !TINSMITH_NN_MVE */
