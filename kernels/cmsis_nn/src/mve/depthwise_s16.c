/* Sums over the taps of a window on MVE (internal/depthwise_s16.h): a lane for each channel. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

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

/** Words 0, 2, 4, 6 of up to four numbers of 64 bits, then words 1, 3, 5, 7. */
static inline int32x4x2_t load_halves(const int64_t *numbers, int32_t count) {
  const int32_t *words = (const int32_t *)numbers;
  int32_t copy[2 * kTapChannels];
  vstrwq_s32(copy, vldrwq_z_s32(words, vctp32q((uint32_t)(2 * count))));
  vstrwq_s32(copy + kWordLanes,
             count > 2 ? vldrwq_z_s32(words + kWordLanes, vctp32q((uint32_t)(2 * count - 4))) : vdupq_n_s32(0));
  return vld2q_s32(copy);
}

/** tinsmith_requantize_s64() of four numbers; low: their lower words, high: their upper ones. With the product as two
 * words too, a rounding shift of each gives its part: of the lower one nothing if 32 bits or more are dropped besides
 * its half, of the upper one all its bits if fewer are. */
static inline int32x4_t requantize_s64(uint32x4_t low, int32x4_t high, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t reduced = vminq_s32(vrshrq_n_s32(multiplier, 16), vdupq_n_s32(INT16_MAX));
  const uint32x4_t factor = vreinterpretq_u32_s32(reduced);
  const int32x4_t carried = vreinterpretq_s32_u32(vmulhq_u32(low, factor));
  const int32x4_t upper = vaddq_s32(vmulq_s32(high, reduced), carried);
  const uint32x4_t lower = vrshlq_u32(vmulq_u32(low, factor), vsubq_n_s32(shift, 15));
  return vaddq_s32(vrshlq_s32(upper, vaddq_n_s32(shift, 17)), vreinterpretq_s32_u32(lower));
}

void tinsmith_finish_taps_s16(const tinsmith_stage_s16 *stage, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output) {
  const mve_pred16_t present = vctp32q((uint32_t)count);
  const int32x4_t sum = vldrwq_z_s32(sums, present);
  uint32x4_t low = vreinterpretq_u32_s32(sum);
  int32x4_t high = vshrq_n_s32(sum, 31);
  if (stage->bias != NULL) {
    const int32x4x2_t bias = load_halves(stage->bias + first, count);
    low = vaddq_u32(low, vreinterpretq_u32_s32(bias.val[0]));
    high = vaddq_s32(high, bias.val[1]);
    high = vaddq_m_n_s32(high, high, 1, vcmphiq_u32(vreinterpretq_u32_s32(sum), low)); /* the carry */
  }
  const int32x4_t multiplier = vldrwq_z_s32(stage->quant_params->multiplier + first, present);
  const int32x4_t shift = vldrwq_z_s32(stage->quant_params->shift + first, present);
  const mve_output_range range = {0, stage->activation.min, stage->activation.max};
  vstrhq_p_s32(output, mve_to_range(requantize_s64(low, high, multiplier, shift), &range), present);
}

#endif /* TINSMITH_NN_MVE */
