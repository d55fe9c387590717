/* The lesser or the greater of rows for the DSP extension (internal/extrema.h): four bytes at a time. */

#include "src/internal/extrema.h"

#include <stdbool.h>

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

/** greatest, one: constants. */
TINSMITH_ALWAYS_INLINE void extrema(bool greatest, bool one, const tinsmith_extrema_rows *rows, const int8_t *first,
                                    const int8_t *second, int8_t *output) {
  for (int32_t count = rows->count; count > 0; --count) {
    const int8_t *a = first;
    const int8_t *b = second;
    const int8_t value = *second;
    const uint32_t repeated = (uint8_t)value * UINT32_C(0x01010101);
    int32_t left = rows->length;
    TINSMITH_NO_UNROLL
    for (; left > 3; left -= 4) {
      const uint32_t x = tinsmith_load_word(a);
      const uint32_t y = one ? repeated : tinsmith_load_word(b);
      tinsmith_store_word(output, greatest ? greater(x, y) : lesser(x, y));
      a += 4;
      b += 4;
      output += 4;
    }
    TINSMITH_NO_UNROLL
    for (; left > 0; --left) {
      const int8_t x = *a++;
      const int8_t y = one ? value : *b++;
      *output++ = (x > y) == greatest ? x : y;
    }
    first += rows->first_step;
    second += rows->second_step;
  }
}

void tinsmith_minima_s8(const tinsmith_extrema_rows *rows, const int8_t *first, const int8_t *second, int8_t *output) {
  extrema(false, false, rows, first, second, output);
}

void tinsmith_maxima_s8(const tinsmith_extrema_rows *rows, const int8_t *first, const int8_t *second, int8_t *output) {
  extrema(true, false, rows, first, second, output);
}

void tinsmith_minima_with_s8(const tinsmith_extrema_rows *rows, const int8_t *first, const int8_t *second,
                             int8_t *output) {
  extrema(false, true, rows, first, second, output);
}

void tinsmith_maxima_with_s8(const tinsmith_extrema_rows *rows, const int8_t *first, const int8_t *second,
                             int8_t *output) {
  extrema(true, true, rows, first, second, output);
}

#endif /* TINSMITH_NN_DSP */
