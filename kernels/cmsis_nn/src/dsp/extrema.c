/* The lesser or the greater of two rows for the DSP extension (internal/extrema.h): four bytes at a time. */

#include "src/internal/extrema.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

/** Of each byte the greater of `a` and `b`; ssub8 says in flags that sel reads which that is. */
static inline uint32_t greater(uint32_t a, uint32_t b) {
  uint32_t chosen;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(chosen) : "r"(a), "r"(b) : "cc");
  return chosen;
}

static inline uint32_t lesser(uint32_t a, uint32_t b) {
  uint32_t chosen;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(chosen) : "r"(a), "r"(b) : "cc");
  return chosen;
}

void tinsmith_extrema_s8(tinsmith_extremum kind, const int8_t *first, const int8_t *second, int8_t *output,
                         int32_t count) {
  const int32_t step = kind.one ? 0 : 4;
  const uint32_t repeated = (uint8_t)*second * UINT32_C(0x01010101);
  TINSMITH_NO_UNROLL
  for (; count > 3; count -= 4) {
    const uint32_t a = tinsmith_load_word(first);
    const uint32_t b = kind.one ? repeated : tinsmith_load_word(second);
    tinsmith_store_word(output, kind.greatest ? greater(a, b) : lesser(a, b));
    first += 4;
    second += step;
    output += 4;
  }
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int8_t a = first[i];
    const int8_t b = kind.one ? *second : second[i];
    output[i] = (a > b) == kind.greatest ? a : b;
  }
}

#endif /* TINSMITH_NN_DSP */
