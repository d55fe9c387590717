/* Sums over the taps of a window for the DSP extension (internal/depthwise_s16.h): three loads for four products. */

#include "src/internal/depthwise_s16.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

static void sum_four(int32_t *sums, const tinsmith_taps_s16 *taps) {
  int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (int32_t y = 0; y < taps->rows; ++y) {
    const int16_t *x = taps->x + y * taps->x_row;
    const int8_t *w = taps->w + y * taps->w_row;
    const int32_t x_step = taps->x_step;
    const int32_t w_step = taps->w_step;
    TINSMITH_NO_UNROLL
    for (int32_t left = taps->columns; left > 0; --left) {
      const int16x2_t low = (int16x2_t)tinsmith_load_word(x);
      const int16x2_t high = (int16x2_t)tinsmith_load_word(x + 2);
      const uint32_t weights = tinsmith_load_word(w);
      const int16x2_t even = (int16x2_t)tinsmith_sxtb16(weights);
      const int16x2_t odd = (int16x2_t)tinsmith_sxtb16_ror8(weights);
      sum0 = __smlabb(low, even, sum0);
      sum1 = __smlatb(low, odd, sum1);
      sum2 = __smlabt(high, even, sum2);
      sum3 = __smlatt(high, odd, sum3);
      x += x_step;
      w += w_step;
    }
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

void tinsmith_sum_taps_s16(int32_t *sums, const tinsmith_taps_s16 *taps, int32_t channels) {
  if (channels == kTapChannels) {
    sum_four(sums, taps);
    return;
  }
  for (int32_t c = 0; c < channels; ++c) {
    int32_t sum = 0;
    for (int32_t y = 0; y < taps->rows; ++y) {
      const int16_t *x = taps->x + y * taps->x_row + c;
      const int8_t *w = taps->w + y * taps->w_row + c;
      TINSMITH_NO_UNROLL
      for (int32_t left = taps->columns; left > 0; --left) {
        sum += *x * *w;
        x += taps->x_step;
        w += taps->w_step;
      }
    }
    sums[c] = sum;
  }
}

void tinsmith_finish_taps_s16(const tinsmith_stage_s16 *stage, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output) {
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < count; ++c) {
    output[c] = tinsmith_finish_s16(stage, sums[c], first + c);
  }
}

#endif /* TINSMITH_NN_DSP */
