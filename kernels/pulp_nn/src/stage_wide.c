// PULP-NN's output stage with 64-bit kappa and lambda. Never inlined: it costs a call for each block, and the fast
// kernels nothing.
#include "internal/stage.h"

// clip((multiplier * acc + addend) >> shift). What 32 bits do not hold is beyond all bounds; its sign is enough.
ALWAYS_INLINE int32_t scale_wide(int32_t acc, int64_t multiplier, int64_t addend, int32_t shift, bool is_u8) {
  const uint64_t sum = (uint64_t)multiplier * (uint64_t)(int64_t)acc + (uint64_t)addend;
  const int32_t high = (int32_t)(sum >> 32);
  int32_t scaled = high >> (shift & 31);
  if (shift < 32) {
    const int32_t low = (int32_t)((uint32_t)sum >> shift | (uint32_t)high << 1 << (31 - shift));
    const bool fits = scaled == low >> 31;
    scaled = fits ? low : high < 0 ? INT32_MIN : INT32_MAX;
  }
  return is_u8 ? corev_clip_u8(scaled) : corev_clip_s8(scaled);
}

int32_t stage_wide(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t acc) {
  const int64_t multiplier = stage->wide_multipliers == NULL ? stage->multiplier : stage->wide_multipliers[channel];
  const int64_t addend = stage->wide_addends == NULL ? 0 : stage->wide_addends[channel];
  return scale_wide(acc, multiplier, addend, stage->shift, stage->kind == TINSMITH_PULP_TRUNCATE_WIDE_U8);
}

void stage_wide_block(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t *acc, uint32_t pixels) {
  const int32_t shift = stage->shift;
  const bool is_u8 = stage->kind == TINSMITH_PULP_TRUNCATE_WIDE_U8;
  for (uint32_t c = 0u; c < STAGE_CHANNELS; ++c) {
    const int64_t multiplier =
        stage->wide_multipliers == NULL ? stage->multiplier : stage->wide_multipliers[channel + c];
    const int64_t addend = stage->wide_addends == NULL ? 0 : stage->wide_addends[channel + c];
    for (uint32_t i = c; i < STAGE_CHANNELS * pixels; i += STAGE_CHANNELS) {
      acc[i] = scale_wide(acc[i], multiplier, addend, shift, is_u8);
    }
  }
}
