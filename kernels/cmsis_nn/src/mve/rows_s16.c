/* Sums of 32 bits to outputs of int16 on MVE (internal/rows_s16.h). */
#include "src/internal/rows_s16.h"

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/mve/requantize.h"

void tinsmith_finish_rows_s16(const tinsmith_rows_s16 *rows, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output) {
  const mve_pred16_t present = vctp32q((uint32_t)count);
  const mve_output_range range = {0, rows->activation.min, rows->activation.max};
  int32x4_t multiplier = vdupq_n_s32(*rows->multiplier);
  int32x4_t shift = vdupq_n_s32(*rows->shift);
  if (rows->stage_step != 0) {
    multiplier = vldrwq_z_s32(rows->multiplier + first, present);
    shift = vldrwq_z_s32(rows->shift + first, present);
  }
  const int32x4_t value = mve_requantize(vldrwq_z_s32(sums, present), multiplier, shift);
  vstrhq_p_s32(output, mve_to_range(value, &range), present);
}

#endif /* TINSMITH_NN_MVE */
