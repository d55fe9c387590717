/* Sums over the taps of a window on MVE (internal/depthwise_s16.h): a lane for each channel. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/compiler.h"
#include "src/internal/depthwise_s16.h"
#include "src/mve/requantize.h"

void tinsmith_sum_taps_s16(int32_t *sums, const tinsmith_taps_s16 *taps, int32_t channels) {
  const mve_pred16_t present = vctp32q((uint32_t)channels);
  int32x4_t sum = vdupq_n_s32(0);
  for (int32_t y = 0; y < taps->rows; ++y) {
    const int16_t *x = taps->x + y * taps->x_row;
    const int8_t *w = taps->w + y * taps->w_row;
    TINSMITH_NO_UNROLL
    for (int32_t left = taps->columns; left > 0; --left) {
      sum = vaddq_s32(sum, vmulq_s32(vldrhq_z_s32(x, present), vldrbq_z_s32(w, present)));
      x += taps->x_step;
      w += taps->w_step;
    }
  }
  vstrwq_p_s32(sums, sum, present);
}

#endif /* TINSMITH_NN_MVE */
