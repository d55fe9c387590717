/* Short copies and fills, as three instructions of set-up and two per sixteen bytes: a call of memcpy costs more than
 * most rows that convolutions copy.
 */
#ifndef TINSMITH_NN_MVE_COPY_H
#define TINSMITH_NN_MVE_COPY_H

#include "src/mve/requantize.h"

/** Copy `count` bytes, >= 0. `to` lies in front of `from`, or they do not overlap. */
static inline void mve_copy(int8_t *to, const int8_t *from, int32_t count) {
  for (int32_t left = count; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
    to += kByteLanes;
    from += kByteLanes;
  }
}

/** Set `count` bytes, >= 0. */
static inline void mve_fill(int8_t *to, int8_t value, int32_t count) {
  const int8x16_t values = vdupq_n_s8(value);
  for (int32_t left = count; left > 0; left -= kByteLanes) {
    vstrbq_p_s8(to, values, vctp8q((uint32_t)left));
    to += kByteLanes;
  }
}

#endif /* TINSMITH_NN_MVE_COPY_H */
