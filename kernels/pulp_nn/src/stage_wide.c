// PULP-NN's output stage with 64-bit kappa and lambda. Never inlined: it costs a call for each block, and the fast
// kernels nothing.
#include "src/internal/stage.h"

int32_t stage_wide(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t acc) {
  const int64_t multiplier = stage->wide_multipliers == NULL ? stage->multiplier : stage->wide_multipliers[channel];
  const int64_t addend = stage->wide_addends == NULL ? 0 : stage->wide_addends[channel];
  const int64_t sum = (int64_t)((uint64_t)multiplier * (uint64_t)(int64_t)acc + (uint64_t)addend);
  const int64_t scaled = sum >> stage->shift;
  const int32_t bounded = scaled > INT16_MAX ? INT16_MAX : scaled < INT16_MIN ? INT16_MIN : (int32_t)scaled;
  return stage->kind == TINSMITH_PULP_TRUNCATE_WIDE_U8 ? corev_clip_u8(bounded) : corev_clip_s8(bounded);
}

void stage_wide_block(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t *acc, uint32_t pixels) {
  for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
    acc[i] = stage_wide(stage, channel + i % STAGE_CHANNELS, acc[i]);
  }
}
