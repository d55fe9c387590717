/* What the implementations do differently in depthwise convolution of int16 (common/depthwise_s16.c). */
#ifndef TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H
#define TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H

#include <stdint.h>

enum { kTapChannels = 4 };

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

#endif /* TINSMITH_NN_INTERNAL_DEPTHWISE_S16_H */
