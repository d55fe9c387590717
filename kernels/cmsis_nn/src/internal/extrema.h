/* The lesser or the greater of rows: what the implementations do differently in arm_minimum_s8() and arm_maximum_s8().
 */
#ifndef TINSMITH_NN_INTERNAL_EXTREMA_H
#define TINSMITH_NN_INTERNAL_EXTREMA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool greatest; /* maximum, else minimum */
  bool one;      /* the second row is one value, for all of the first */
} tinsmith_extremum;

typedef struct {
  int32_t count;
  int32_t length;     /* of each */
  int32_t first_step; /* bytes from row to row; 0: the same for all */
  int32_t second_step;
} tinsmith_extrema_rows;

/** Rows of the output follow each other. */
void tinsmith_extrema_s8(tinsmith_extremum kind, tinsmith_extrema_rows rows, const int8_t *first, const int8_t *second,
                         int8_t *output);

#endif /* TINSMITH_NN_INTERNAL_EXTREMA_H */
