/* The lesser or the greater of two rows: what the implementations do differently in arm_minimum_s8() and
 * arm_maximum_s8(). */
#ifndef TINSMITH_NN_INTERNAL_EXTREMA_H
#define TINSMITH_NN_INTERNAL_EXTREMA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool greatest; /* maximum, else minimum */
  bool one;      /* the second row is one value, for all of the first */
} tinsmith_extremum;

void tinsmith_extrema_s8(tinsmith_extremum kind, const int8_t *first, const int8_t *second, int8_t *output,
                         int32_t count);

#endif /* TINSMITH_NN_INTERNAL_EXTREMA_H */
