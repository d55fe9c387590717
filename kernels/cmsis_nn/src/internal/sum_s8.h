/* The sum of a vector of int8, for plain C and the DSP extension.
 */
#ifndef TINSMITH_NN_INTERNAL_SUM_S8_H
#define TINSMITH_NN_INTERNAL_SUM_S8_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

/** sum + four values, each raised by 128: what USADA8 adds is not negative. */
static inline uint32_t tinsmith_add_raised_bytes(uint32_t sum, const int8_t *x) {
  const uint32_t raised = tinsmith_load_word(x) ^ UINT32_C(0x80808080);
  __asm__("usada8 %0, %1, %2, %0" : "+r"(sum) : "r"(raised), "r"(0));
  return sum;
}

static inline int32_t tinsmith_sum_s8(const int8_t *x, int32_t count) {
  const int8_t *by_eights = x + (count & ~7);
  const int8_t *end = x + count;
  uint32_t sum = -(uint32_t)(count & ~7) * 128;
  TINSMITH_NO_UNROLL
  for (; x != by_eights; x += 8) {
    sum = tinsmith_add_raised_bytes(sum, x);
    sum = tinsmith_add_raised_bytes(sum, x + 4);
  }
  TINSMITH_NO_UNROLL
  while (x != end) {
    sum += (uint32_t)*x++;
  }
  return (int32_t)sum;
}

#else

static inline int32_t tinsmith_sum_s8(const int8_t *x, int32_t count) {
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    sum += x[i];
  }
  return sum;
}

#endif

#endif /* TINSMITH_NN_INTERNAL_SUM_S8_H */
