/* What the implementations do differently in depthwise convolution of int16 (common/depthwise_s16.c). */
#ifndef TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H
#define TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H

#include <stddef.h>
#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"

enum { kTapChannels = 4 };

/** What turns sums into outputs. */
typedef struct {
  const cmsis_nn_per_channel_quant_params *quant_params;
  const int64_t *bias; /* or NULL */
  cmsis_nn_activation activation;
  int32_t channels_per_input;
} tinsmith_stage_s16;

/** The taps of a window that lie inside the input. */
typedef struct {
  const int16_t *x; /* first channel of the first tap */
  const int8_t *w;  /* its weight */
  int32_t rows;
  int32_t columns;
  int32_t x_row; /* values from tap to tap */
  int32_t x_step;
  int32_t w_row;
  int32_t w_step;
} tinsmith_taps_s16;

/** sums[c] = sum over the taps of x[c] * w[c], c in [0, channels), channels in [1, kTapChannels], for up to
 * kNarrowDepth taps (internal/dots.h). */
void tinsmith_sum_taps_s16(int32_t *sums, const tinsmith_taps_s16 *taps, int32_t channels);

/** The output of a sum. */
static inline int16_t tinsmith_finish_s16(const tinsmith_stage_s16 *stage, int64_t sum, int32_t channel) {
  const int32_t reduced = tinsmith_reduced_multiplier(stage->quant_params->multiplier[channel]);
  const int64_t acc = stage->bias == NULL ? sum : sum + stage->bias[channel];
  const int32_t value = tinsmith_requantize_s64(acc, reduced, stage->quant_params->shift[channel]);
  return (int16_t)tinsmith_clamp(value, stage->activation.min, stage->activation.max);
}

/** Outputs of the channels [first, first + count), count in [1, kTapChannels], from their sums. */
void tinsmith_finish_taps_s16(const tinsmith_stage_s16 *stage, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output);

#endif /* TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H */
