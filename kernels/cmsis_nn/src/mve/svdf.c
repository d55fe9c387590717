/* SVDF in two functions (tinsmith_nn_recurrent.h) on MVE. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_recurrent.h"
#include "src/mve/requantize.h"

enum { kHalfLanes = 8 };

static inline int32_t dot_s8(int32_t sum, const int8_t *x, const int8_t *w, int32_t depth) {
  for (; depth > 0; depth -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)depth);
    sum = vmladavaq_p_s8(sum, vldrbq_z_s8(x, p), vldrbq_z_s8(w, p), p);
    x += kByteLanes;
    w += kByteLanes;
  }
  return sum;
}

static inline int32_t dot_s16(int32_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  for (; depth > 0; depth -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)depth);
    sum = vmladavaq_p_s16(sum, vldrhq_z_s16(x, p), vldrhq_z_s16(w, p), p);
    x += kHalfLanes;
    w += kHalfLanes;
  }
  return sum;
}

static inline void scale(int32_t *sums, const tinsmith_svdf_params *params, int32_t before_clamp) {
  const mve_uniform_scale uniform = mve_uniform(params->multiplier, params->shift);
  const mve_output_range range = {before_clamp, params->activation.min, params->activation.max};
  vstrwq_s32(sums, mve_to_range(mve_requantize_uniform(vldrwq_s32(sums), &uniform), &range));
}

#include "src/common/svdf_halves.h"

#endif /* TINSMITH_NN_MVE */
