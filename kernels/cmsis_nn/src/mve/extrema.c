/* The lesser or the greater of rows on MVE (internal/extrema.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stdbool.h>

#include "src/internal/compiler.h"
#include "src/internal/extrema.h"
#include "src/mve/requantize.h"

/** greatest, one: constants. */
TINSMITH_ALWAYS_INLINE void extrema(bool greatest, bool one, const tinsmith_extrema_rows *rows, const int8_t *first,
                                    const int8_t *second, int8_t *output) {
  const int32_t length = rows->length;
  int32_t count = rows->count;
  do {
    const int8_t *a = first;
    const int8_t *b = second;
    int8_t *to = output;
    const int8x16_t value = vdupq_n_s8(*second);
    int32_t left = length;
    do {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      const int8x16_t x = vldrbq_z_s8(a, p);
      const int8x16_t y = one ? value : vldrbq_z_s8(b, p);
      vstrbq_p_s8(to, greatest ? vmaxq_s8(x, y) : vminq_s8(x, y), p);
      a += kByteLanes;
      b += kByteLanes;
      to += kByteLanes;
      left -= kByteLanes;
    } while (left > 0);
    first += rows->first_step;
    second += rows->second_step;
    output += length;
  } while (--count > 0);
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

#endif /* TINSMITH_NN_MVE */
