/* One row of values times four rows of weights. */
#ifndef TINSMITH_NN_MVE_ONE_ROW_H
#define TINSMITH_NN_MVE_ONE_ROW_H

#include "src/mve/requantize.h"

/** sums[0..3] = one row times four rows of weights, `pitch` apart. */
static inline void mve_sum_1x4(const int8_t *row, const int8_t *weights0, int32_t pitch, int32_t depth, mve_sums sums) {
  const int8_t *weights1 = weights0 + pitch;
  const int8_t *weights2 = weights1 + pitch;
  const int8_t *weights3 = weights2 + pitch;
  int32_t s0 = 0;
  int32_t s1 = 0;
  int32_t s2 = 0;
  int32_t s3 = 0;
  int32_t left = depth;
  do {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t x = vldrbq_z_s8(row, p);
    s0 = vmladavaq_p_s8(s0, x, vldrbq_z_s8(weights0, p), p);
    s1 = vmladavaq_p_s8(s1, x, vldrbq_z_s8(weights1, p), p);
    s2 = vmladavaq_p_s8(s2, x, vldrbq_z_s8(weights2, p), p);
    s3 = vmladavaq_p_s8(s3, x, vldrbq_z_s8(weights3, p), p);
    row += kByteLanes;
    weights0 += kByteLanes;
    weights1 += kByteLanes;
    weights2 += kByteLanes;
    weights3 += kByteLanes;
    left -= kByteLanes;
  } while (left > 0);
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

#endif /* TINSMITH_NN_MVE_ONE_ROW_H */
