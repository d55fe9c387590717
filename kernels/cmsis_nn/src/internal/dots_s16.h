/* Products of an int16 vector with one or two others, for all implementations: the loops of batches of matrices and of
 * SVDF.
 */
#ifndef TINSMITH_NN_INTERNAL_DOTS_S16_H
#define TINSMITH_NN_INTERNAL_DOTS_S16_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE
#include <arm_mve.h>
#elif TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

/** Sums of x[k] * w0[k] and of x[k] * w1[k]. */
typedef struct {
  int64_t first;
  int64_t second;
} tinsmith_two_sums;

#if TINSMITH_NN_MVE

/** w1 may be w0. */
static inline tinsmith_two_sums tinsmith_two_dots_s16(const int16_t *x, const int16_t *w0, const int16_t *w1,
                                                      int32_t depth) {
  enum { kLanes = 8 };
  int64_t first = 0, second = 0;
  for (int32_t left = depth; left > 0; left -= kLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    const int16x8_t values = vldrhq_z_s16(x, p);
    first = vmlaldavaq_p_s16(first, values, vldrhq_z_s16(w0, p), p);
    second = vmlaldavaq_p_s16(second, values, vldrhq_z_s16(w1, p), p);
    x += kLanes;
    w0 += kLanes;
    w1 += kLanes;
  }
  return (tinsmith_two_sums){first, second};
}

/** sum + the products. */
static inline int64_t tinsmith_dot_s16(int64_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  enum { kLanes = 8 };
  for (int32_t left = depth; left > 0; left -= kLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    sum = vmlaldavaq_p_s16(sum, vldrhq_z_s16(x, p), vldrhq_z_s16(w, p), p);
    x += kLanes;
    w += kLanes;
  }
  return sum;
}

#elif TINSMITH_NN_DSP

/** Adds two products to each sum. */
static inline void tinsmith_add_pair_s16(tinsmith_two_sums *sums, const int16_t *x, const int16_t *w0,
                                         const int16_t *w1) {
  const int16x2_t pair = (int16x2_t)tinsmith_load_word(x);
  sums->first = __smlald(pair, (int16x2_t)tinsmith_load_word(w0), sums->first);
  sums->second = __smlald(pair, (int16x2_t)tinsmith_load_word(w1), sums->second);
}

/** w1 may be w0. */
static inline tinsmith_two_sums tinsmith_two_dots_s16(const int16_t *x, const int16_t *w0, const int16_t *w1,
                                                      int32_t depth) {
  tinsmith_two_sums sums = {0, 0};
  const int16_t *by_eights = x + (depth & ~7);
  const int16_t *by_pairs = x + (depth & ~1);
  TINSMITH_NO_UNROLL
  for (; x != by_eights; x += 8, w0 += 8, w1 += 8) {
    tinsmith_add_pair_s16(&sums, x, w0, w1);
    tinsmith_add_pair_s16(&sums, x + 2, w0 + 2, w1 + 2);
    tinsmith_add_pair_s16(&sums, x + 4, w0 + 4, w1 + 4);
    tinsmith_add_pair_s16(&sums, x + 6, w0 + 6, w1 + 6);
    TINSMITH_KEEP_ORDER(w0); /* or compilers count places besides pointers */
    TINSMITH_KEEP_ORDER(w1);
  }
  TINSMITH_NO_UNROLL
  for (; x != by_pairs; x += 2, w0 += 2, w1 += 2) {
    tinsmith_add_pair_s16(&sums, x, w0, w1);
  }
  if (depth & 1) {
    sums.first += (int32_t)*x * *w0;
    sums.second += (int32_t)*x * *w1;
  }
  return sums;
}

/** sum + the products. */
static inline int64_t tinsmith_dot_s16(int64_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  const int16_t *by_pairs = x + (depth & ~1);
  TINSMITH_NO_UNROLL
  for (; x != by_pairs; x += 2, w += 2) {
    sum = __smlald((int16x2_t)tinsmith_load_word(x), (int16x2_t)tinsmith_load_word(w), sum);
  }
  return depth & 1 ? sum + (int32_t)*x * *w : sum;
}

#else

/** w1 may be w0. */
static inline tinsmith_two_sums tinsmith_two_dots_s16(const int16_t *x, const int16_t *w0, const int16_t *w1,
                                                      int32_t depth) {
  int64_t first = 0, second = 0;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    first += (int32_t)x[k] * w0[k];
    second += (int32_t)x[k] * w1[k];
  }
  return (tinsmith_two_sums){first, second};
}

/** sum + the products. */
static inline int64_t tinsmith_dot_s16(int64_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    sum += (int32_t)x[k] * w[k];
  }
  return sum;
}

#endif

#endif /* TINSMITH_NN_INTERNAL_DOTS_S16_H */
