/* Products of one vector with rows of a matrix on MVE (internal/dots.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stdbool.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/nibbles.h"
#include "src/mve/requantize.h"

enum { kHalfLanes = 8 };

static int32_t dot_s8(int32_t sum, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t depth) {
  int32_t sum_of_row = 0;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t row = vldrbq_z_s8(w, p);
    sum = vmladavaq_p_s8(sum, vldrbq_z_s8(x, p), row, p);
    sum_of_row = vaddvaq_p_s8(sum_of_row, row, p);
    x += kByteLanes;
    w += kByteLanes;
  }
  return sum + x_offset * sum_of_row;
}

/** Rows that are missing are the last one again. */
static inline int32_t next_row(int32_t row, int32_t rows, int32_t pitch) {
  return row < rows ? pitch : 0;
}

/** rows: up to four; the sums of others become anything. */
static inline void four_dots_s8(int32_t sums[kDotRows], const int8_t *x, const int8_t *w, int32_t pitch, int32_t depth,
                                int32_t rows) {
  const int8_t *w1 = w + next_row(1, rows, pitch);
  const int8_t *w2 = w1 + next_row(2, rows, pitch);
  const int8_t *w3 = w2 + next_row(3, rows, pitch);
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t values = vldrbq_z_s8(x, p);
    sum0 = vmladavaq_p_s8(sum0, values, vldrbq_z_s8(w, p), p);
    sum1 = vmladavaq_p_s8(sum1, values, vldrbq_z_s8(w1, p), p);
    sum2 = vmladavaq_p_s8(sum2, values, vldrbq_z_s8(w2, p), p);
    sum3 = vmladavaq_p_s8(sum3, values, vldrbq_z_s8(w3, p), p);
    x += kByteLanes;
    w += kByteLanes;
    w1 += kByteLanes;
    w2 += kByteLanes;
    w3 += kByteLanes;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

enum { kRowsAtOnce = 5 };

/** As many rows as there are registers for sums and for pointers. */
static inline void five_dots_s8(int32_t sums[kRowsAtOnce], const int8_t *x, const int8_t *w, int32_t pitch,
                                int32_t depth) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  const int8_t *w4 = w3 + pitch;
  TINSMITH_KEEP_ORDER(w1); /* or compilers add the pitch in the loop */
  TINSMITH_KEEP_ORDER(w2);
  TINSMITH_KEEP_ORDER(w3);
  TINSMITH_KEEP_ORDER(w4);
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3], sum4 = sums[4];
  int32_t left = depth;
  do {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t values = vldrbq_z_s8(x, p);
    sum0 = vmladavaq_p_s8(sum0, values, vldrbq_z_s8(w, p), p);
    sum1 = vmladavaq_p_s8(sum1, values, vldrbq_z_s8(w1, p), p);
    sum2 = vmladavaq_p_s8(sum2, values, vldrbq_z_s8(w2, p), p);
    sum3 = vmladavaq_p_s8(sum3, values, vldrbq_z_s8(w3, p), p);
    sum4 = vmladavaq_p_s8(sum4, values, vldrbq_z_s8(w4, p), p);
    x += kByteLanes;
    w += kByteLanes;
    w1 += kByteLanes;
    w2 += kByteLanes;
    w3 += kByteLanes;
    w4 += kByteLanes;
    left -= kByteLanes;
  } while (left > 0);
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
  sums[4] = sum4;
}

void tinsmith_dots_s8(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch, int32_t depth,
                      int32_t rows) {
  if (x_offset != 0) {
    for (; rows > 0; --rows) {
      *sums = dot_s8(*sums, x, x_offset, w, depth);
      ++sums;
      w += pitch;
    }
    return;
  }
  if (depth <= 0) {
    return;
  }
  for (; rows > 2 * kDotRows || (rows >= kRowsAtOnce && rows < 2 * kDotRows); rows -= kRowsAtOnce) {
    five_dots_s8(sums, x, w, pitch, depth);
    sums += kRowsAtOnce;
    w += kRowsAtOnce * pitch;
  }
  for (; rows >= kDotRows; rows -= kDotRows) {
    four_dots_s8(sums, x, w, pitch, depth, kDotRows);
    sums += kDotRows;
    w += kDotRows * pitch;
  }
  if (rows > 0) {
    int32_t last[kDotRows];
    const mve_pred16_t p = vctp32q((uint32_t)rows);
    vstrwq_s32(last, vldrwq_z_s32(sums, p));
    four_dots_s8(last, x, w, pitch, depth, rows);
    vstrwq_p_s32(sums, vldrwq_s32(last), p);
  }
}

/** Modulo 2^32. */
static int32_t narrow_dot_s16_s8(int32_t sum, const int16_t *x, const int8_t *w, int32_t depth) {
  for (int32_t left = depth; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    sum = vmladavaq_p_s16(sum, vldrhq_z_s16(x, p), vldrbq_z_s16(w, p), p);
    x += kHalfLanes;
    w += kHalfLanes;
  }
  return sum;
}

/** Modulo 2^32. rows: as of four_dots_s8(). */
static inline void four_narrow_dots_s16_s8(int32_t sums[kDotRows], const int16_t *x, const int8_t *w, int32_t pitch,
                                           int32_t depth, int32_t rows) {
  const int8_t *w1 = w + next_row(1, rows, pitch);
  const int8_t *w2 = w1 + next_row(2, rows, pitch);
  const int8_t *w3 = w2 + next_row(3, rows, pitch);
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (int32_t left = depth; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    const int16x8_t values = vldrhq_z_s16(x, p);
    sum0 = vmladavaq_p_s16(sum0, values, vldrbq_z_s16(w, p), p);
    sum1 = vmladavaq_p_s16(sum1, values, vldrbq_z_s16(w1, p), p);
    sum2 = vmladavaq_p_s16(sum2, values, vldrbq_z_s16(w2, p), p);
    sum3 = vmladavaq_p_s16(sum3, values, vldrbq_z_s16(w3, p), p);
    x += kHalfLanes;
    w += kHalfLanes;
    w1 += kHalfLanes;
    w2 += kHalfLanes;
    w3 += kHalfLanes;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

void tinsmith_dots_s16_s8_modulo(int32_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows) {
  for (; rows >= kDotRows; rows -= kDotRows) {
    four_narrow_dots_s16_s8(sums, x, w, depth, depth, kDotRows);
    sums += kDotRows;
    w += kDotRows * depth;
  }
  if (rows > 0) {
    int32_t last[kDotRows];
    const mve_pred16_t p = vctp32q((uint32_t)rows);
    vstrwq_s32(last, vldrwq_z_s32(sums, p));
    four_narrow_dots_s16_s8(last, x, w, depth, depth, rows);
    vstrwq_p_s32(sums, vldrwq_s32(last), p);
  }
}

void tinsmith_dots_s16_s8(int64_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows) {
  for (int32_t k = 0; k < depth; k += kNarrowDepth) {
    const int32_t count = depth - k < kNarrowDepth ? depth - k : kNarrowDepth;
    if (rows == kDotRows) {
      int32_t narrow[kDotRows] = {0};
      four_narrow_dots_s16_s8(narrow, x + k, w + k, depth, count, kDotRows);
      for (int32_t r = 0; r < kDotRows; ++r) {
        sums[r] += narrow[r];
      }
      continue;
    }
    for (int32_t r = 0; r < rows; ++r) {
      sums[r] += narrow_dot_s16_s8(0, x + k, w + r * depth + k, count);
    }
  }
}

/** Values of four bits and their partners: values of a vector that are taken apart at a time, an even number. */
enum { kPairedValues = 512 };

/** A part of a vector taken apart, with zeros where a row's bytes hold weights of other rows. */
typedef struct {
  int8_t evens[kPairedValues / 2 + kByteLanes];    /* 0 2 4 .. and a zero */
  int8_t odds[1 + kPairedValues / 2 + kByteLanes]; /* a zero, 1 3 5 .. and a zero */
} paired_values;

static void take_apart(const int8_t *x, int32_t count, paired_values *values) {
  const uint8x16_t places = vidupq_n_u8(0, 2);
  int8_t *evens = values->evens;
  int8_t *odds = values->odds;
  *odds++ = 0;
  for (; count >= 0; count -= 2 * kByteLanes) {
    vstrbq_s8(evens, vldrbq_gather_offset_z_s8(x, places, vctp8q((uint32_t)(count + 1) / 2)));
    vstrbq_s8(odds, vldrbq_gather_offset_z_s8(x + 1, places, vctp8q((uint32_t)count / 2)));
    x += 2 * kByteLanes;
    evens += kByteLanes;
    odds += kByteLanes;
  }
}

/** Rows that begin in the same half of a byte. */
typedef struct {
  const int8_t *w; /* the byte where the first begins */
  int32_t pitch;   /* bytes */
  int32_t rows;
  int32_t count; /* values of each */
  bool begins_within;
} rows_s4;

/** Minus what the first and last byte of a row have of others. */
static inline int32_t without_others(const rows_s4 *rows, const int8_t *w) {
  const int32_t halves = rows->begins_within + rows->count;
  const int32_t before = rows->begins_within ? -16 * tinsmith_low_nibble(*w) : 0;
  return halves % 2 != 0 ? before - (w[halves / 2] & -16) : before;
}

/** sums[i * step] += products of row i, two rows at a time. A byte's lower half is taken as 16 times itself, as its
 * upper half is; what the first and last byte have of other rows meets zeros, and is taken from the sum of the weights.
 */
static void dots_alike(int32_t *sums, int32_t step, const paired_values *values, int32_t x_offset,
                       const rows_s4 *rows) {
  const int32_t bytes = (rows->begins_within + rows->count + 1) / 2;
  const int8_t *first = rows->w;
  TINSMITH_NO_UNROLL
  for (int32_t left_rows = rows->rows; left_rows > 0; left_rows -= 2) {
    const int8_t *lower = rows->begins_within ? values->odds : values->evens;
    const int8_t *upper = rows->begins_within ? values->evens : values->odds + 1;
    const int8_t *w0 = first;
    const int8_t *w1 = left_rows > 1 ? first + rows->pitch : first;
    int32_t products0 = 0, weights0 = without_others(rows, w0);
    int32_t products1 = 0, weights1 = without_others(rows, w1);
    for (int32_t left = bytes; left > 0; left -= kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      const int8x16_t partners = vldrbq_z_s8(lower, p);
      const int8x16_t pairs0 = vldrbq_z_s8(w0, p);
      const int8x16_t low0 = vshlq_n_s8(pairs0, 4);
      products0 = vmladavaq_p_s8(products0, partners, low0, p);
      weights0 = vaddvaq_p_s8(weights0, low0, p);
      const int8x16_t pairs1 = vldrbq_z_s8(w1, p);
      const int8x16_t low1 = vshlq_n_s8(pairs1, 4);
      products1 = vmladavaq_p_s8(products1, partners, low1, p);
      weights1 = vaddvaq_p_s8(weights1, low1, p);
      const int8x16_t others = vldrbq_z_s8(upper, p);
      const int8x16_t high0 = vandq_s8(pairs0, vdupq_n_s8(-16));
      products0 = vmladavaq_p_s8(products0, others, high0, p);
      weights0 = vaddvaq_p_s8(weights0, high0, p);
      const int8x16_t high1 = vandq_s8(pairs1, vdupq_n_s8(-16));
      products1 = vmladavaq_p_s8(products1, others, high1, p);
      weights1 = vaddvaq_p_s8(weights1, high1, p);
      lower += kByteLanes;
      upper += kByteLanes;
      w0 += kByteLanes;
      w1 += kByteLanes;
    }
    sums[0] += (products0 >> 4) + x_offset * (weights0 >> 4);
    if (left_rows > 1) {
      sums[step] += (products1 >> 4) + x_offset * (weights1 >> 4);
    }
    sums += 2 * step;
    first += 2 * rows->pitch;
  }
}

void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows) {
  const int32_t step = depth % 2 == 0 ? 1 : 2; /* From a row to the next that begins in the same half of a byte. */
  for (int32_t k = 0; k < depth; k += kPairedValues) {
    rows_s4 part = {.pitch = step * depth / 2, .count = depth - k < kPairedValues ? depth - k : kPairedValues};
    paired_values values;
    take_apart(x + k, part.count, &values);
    for (int32_t r = 0; r < step; ++r) {
      const int32_t index = first + k + r * depth;
      part.w = w + index / 2;
      part.begins_within = index % 2 != 0;
      part.rows = (rows - r + step - 1) / step;
      dots_alike(sums + r, step, &values, x_offset, &part);
    }
  }
}

#endif /* TINSMITH_NN_MVE */
