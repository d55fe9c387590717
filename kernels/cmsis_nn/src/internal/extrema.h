/* The lesser or the greater of rows: what the implementations do differently in arm_minimum_s8() and
 * arm_maximum_s8().
 */
#ifndef TINSMITH_NN_INTERNAL_EXTREMA_H
#define TINSMITH_NN_INTERNAL_EXTREMA_H

#include <stdint.h>

typedef struct {
  int32_t count;      /* >= 1 */
  int32_t length;     /* of each, >= 1 */
  int32_t first_step; /* bytes from row to row; 0: the same for all */
  int32_t second_step;
} tinsmith_extrema_rows;

/** Rows of the output follow each other. */
typedef void tinsmith_extrema(const tinsmith_extrema_rows *rows, const int8_t *first, const int8_t *second,
                              int8_t *output);

tinsmith_extrema tinsmith_minima_s8;
tinsmith_extrema tinsmith_maxima_s8;

/* A row of second is one value, for all of first's. */
tinsmith_extrema tinsmith_minima_with_s8;
tinsmith_extrema tinsmith_maxima_with_s8;

#endif /* TINSMITH_NN_INTERNAL_EXTREMA_H */
