/* SVDF in two functions (tinsmith_nn_recurrent.h), plain C. */
#include <string.h>

#include "src/internal/implementation.h"

#if TINSMITH_NN_C

#include "src/internal/svdf_scale.h"

static inline int32_t dot_s8(int32_t sum, const int8_t *x, const int8_t *w, int32_t depth) {
  uint32_t acc = (uint32_t)sum;
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    acc += (uint32_t)(*x++ * *w++);
  }
  return (int32_t)acc;
}

static inline int32_t dot_s16(int32_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  uint32_t acc = (uint32_t)sum;
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    acc += (uint32_t)(*x++ * *w++);
  }
  return (int32_t)acc;
}

#include "src/common/svdf_halves.h"

#endif /* TINSMITH_NN_C */
