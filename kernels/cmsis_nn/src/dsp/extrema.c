/* The lesser or the greater of rows for the DSP extension (internal/extrema.h): four bytes at a time. */

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

void tinsmith_extrema_s8(tinsmith_extremum kind, tinsmith_extrema_rows rows, const int8_t *first, const int8_t *second,
                         int8_t *output) {
  const int32_t flip = kind.greatest ? 0 : -1; /* The lesser of two is ~ of the greater of their ~. */
  const int32_t step = kind.one ? 0 : 1;
  for (; rows.count > 0; --rows.count) {
    const int8_t *a = first;
    const int8_t *b = second;
    int32_t left = rows.length;
    const uint32_t repeated = (uint8_t)*second * UINT32_C(0x01010101);
    TINSMITH_NO_UNROLL
    for (; left > 3; left -= 4) {
      const uint32_t x = tinsmith_load_word(a);
      const uint32_t y = kind.one ? repeated : tinsmith_load_word(b);
      tinsmith_store_word(output, kind.greatest ? greater(x, y) : lesser(x, y));
      a += 4;
      b += 4 * step;
      output += 4;
    }
    TINSMITH_NO_UNROLL
    for (; left > 0; --left) {
      const int32_t x = *a++ ^ flip;
      const int32_t y = *b ^ flip;
      *output++ = (int8_t)((x > y ? x : y) ^ flip);
      b += step;
    }
    first += rows.first_step;
    second += rows.second_step;
  }
}

#endif /* TINSMITH_NN_DSP */
