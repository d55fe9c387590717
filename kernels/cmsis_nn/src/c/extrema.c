/* The lesser or the greater of rows in plain C (internal/extrema.h). */

#include "src/internal/extrema.h"

#include <stdbool.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

/** greatest, one: constants. */
TINSMITH_ALWAYS_INLINE void extrema(bool greatest, bool one, const tinsmith_extrema_rows *rows, const int8_t *first,
                                    const int8_t *second, int8_t *output) {
  for (int32_t count = rows->count; count > 0; --count) {
    const int8_t *a = first;
    const int8_t *b = second;
    const int8_t value = *second;
    TINSMITH_NO_UNROLL
    for (int32_t left = rows->length; left > 0; --left) {
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

#endif /* TINSMITH_NN_C */
