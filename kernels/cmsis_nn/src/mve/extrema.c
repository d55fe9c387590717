/* The lesser or the greater of two rows on MVE (internal/extrema.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/extrema.h"
#include "src/mve/requantize.h"

static void with_one(bool greatest, const int8_t *first, int8_t second, int8_t *output, int32_t count) {
  const int8x16_t b = vdupq_n_s8(second);
  for (int32_t left = count; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t a = vldrbq_z_s8(first, p);
    vstrbq_p_s8(output, greatest ? vmaxq_s8(a, b) : vminq_s8(a, b), p);
    first += kByteLanes;
    output += kByteLanes;
  }
}

void tinsmith_extrema_s8(tinsmith_extremum kind, const int8_t *first, const int8_t *second, int8_t *output,
                         int32_t count) {
  if (kind.one) {
    with_one(kind.greatest, first, *second, output, count);
    return;
  }
  for (int32_t left = count; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t a = vldrbq_z_s8(first, p);
    const int8x16_t b = vldrbq_z_s8(second, p);
    vstrbq_p_s8(output, kind.greatest ? vmaxq_s8(a, b) : vminq_s8(a, b), p);
    first += kByteLanes;
    second += kByteLanes;
    output += kByteLanes;
  }
}

#endif /* TINSMITH_NN_MVE */
