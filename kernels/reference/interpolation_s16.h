// Between the values of a table of int16, which have straight lines between them.
#ifndef TINSMITH_INTERPOLATION_S16_H_
#define TINSMITH_INTERPOLATION_S16_H_

#include <stdint.h>

#define STEP_BITS 7
#define HALF_STEP (1 << (STEP_BITS - 1))
#define MIDDLE 256

// Of 513 values, the first at -32768 and 128 apart, that at `place`.
static inline int16_t interpolated(const int16_t *table, int32_t place) {
  const int16_t *entry = table + MIDDLE + (place >> STEP_BITS);
  const int32_t offset = place & ((1 << STEP_BITS) - 1);
  const int16_t slope = (int16_t)(entry[1] - entry[0]);
  return (int16_t)(entry[0] + ((slope * offset + HALF_STEP) >> STEP_BITS));
}

#endif  // TINSMITH_INTERPOLATION_S16_H_
