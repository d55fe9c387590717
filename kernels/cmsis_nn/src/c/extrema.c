/* The lesser or the greater of two rows in plain C (internal/extrema.h). */

#include "src/internal/extrema.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

void tinsmith_extrema_s8(tinsmith_extremum kind, const int8_t *first, const int8_t *second, int8_t *output,
                         int32_t count) {
  const int32_t step = kind.one ? 0 : 1;
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    const int8_t a = *first++;
    const int8_t b = *second;
    *output++ = (a > b) == kind.greatest ? a : b;
    second += step;
  }
}

#endif /* TINSMITH_NN_C */
