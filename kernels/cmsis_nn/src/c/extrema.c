/* The lesser or the greater of rows in plain C (internal/extrema.h). */

#include "src/internal/extrema.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

void tinsmith_extrema_s8(tinsmith_extremum kind, tinsmith_extrema_rows rows, const int8_t *first, const int8_t *second,
                         int8_t *output) {
  const int32_t flip = kind.greatest ? 0 : -1; /* The lesser of two is ~ of the greater of their ~. */
  const int32_t step = kind.one ? 0 : 1;
  for (; rows.count > 0; --rows.count) {
    const int8_t *b = second;
    TINSMITH_NO_UNROLL
    for (int32_t i = 0; i < rows.length; ++i) {
      const int32_t x = first[i] ^ flip;
      const int32_t y = *b ^ flip;
      *output++ = (int8_t)((x > y ? x : y) ^ flip);
      b += step;
    }
    first += rows.first_step;
    second += rows.second_step;
  }
}

#endif /* TINSMITH_NN_C */
