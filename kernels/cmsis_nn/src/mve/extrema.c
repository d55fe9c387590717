/* The lesser or the greater of rows on MVE (internal/extrema.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/compiler.h"
#include "src/internal/extrema.h"
#include "src/mve/requantize.h"

/** kind is a constant, so that each use has a loop of its own. */
TINSMITH_ALWAYS_INLINE void extrema(tinsmith_extremum kind, tinsmith_extrema_rows rows, const int8_t *first,
                                    const int8_t *second, int8_t *output) {
  for (; rows.count > 0; --rows.count) {
    const int8_t *a = first;
    const int8_t *b = second;
    int8_t *to = output;
    const int8x16_t one = vdupq_n_s8(*second);
    for (int32_t left = rows.length; left > 0; left -= kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      const int8x16_t x = vldrbq_z_s8(a, p);
      const int8x16_t y = kind.one ? one : vldrbq_z_s8(b, p);
      vstrbq_p_s8(to, kind.greatest ? vmaxq_s8(x, y) : vminq_s8(x, y), p);
      a += kByteLanes;
      b += kByteLanes;
      to += kByteLanes;
    }
    first += rows.first_step;
    second += rows.second_step;
    output += rows.length;
  }
}

void tinsmith_extrema_s8(tinsmith_extremum kind, tinsmith_extrema_rows rows, const int8_t *first, const int8_t *second,
                         int8_t *output) {
  if (kind.greatest) {
    if (kind.one) {
      extrema((tinsmith_extremum){true, true}, rows, first, second, output);
    } else {
      extrema((tinsmith_extremum){true, false}, rows, first, second, output);
    }
  } else if (kind.one) {
    extrema((tinsmith_extremum){false, true}, rows, first, second, output);
  } else {
    extrema((tinsmith_extremum){false, false}, rows, first, second, output);
  }
}

#endif /* TINSMITH_NN_MVE */
