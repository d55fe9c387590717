/* Sums over the taps of a window in plain C (internal/depthwise_s16.h). */

#include "src/internal/depthwise_s16.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

void tinsmith_sum_taps_s16(int32_t *sums, const tinsmith_taps_s16 *taps, int32_t channels) {
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

#endif /* TINSMITH_NN_C */
