/* Products of one vector with rows of a matrix, as sums: what the operators are made of that have no loops of their
 * own. Each implementation has its own version.
 *
 * sums[r] += sum over k in [0, depth) of (x[k] + x_offset) * w[r][k], for r in [0, rows); kDotRows of them at a time.
 */
#ifndef TINSMITH_NN_INTERNAL_DOTS_H
#define TINSMITH_NN_INTERNAL_DOTS_H

#include <stdint.h>

enum { kDotRows = 4 };

/** pitch: values from row to row of w. */
void tinsmith_dots_s8(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch, int32_t depth,
                      int32_t rows);

/** Rows of w `depth` apart, up to kDotRows of them. */
void tinsmith_dots_s16_s8(int64_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows);

/** The same modulo 2^32, of any number of rows. */
void tinsmith_dots_s16_s8_modulo(int32_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows);

/** Weights of four bits, two to a byte, the first in the lower half; rows `depth` apart, any number of them. first:
 * index of w[0][0]. */
void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows);

/** Products of int16 by int8 whose sum surely fits 32 bits: 2^15 * 2^7 * 2^8 = 2^30. */
enum { kNarrowDepth = 256 };

#endif /* TINSMITH_NN_INTERNAL_DOTS_H */
