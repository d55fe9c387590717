/* Products of one vector with rows of a matrix on MVE (internal/dots.h). */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

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

enum { kNibbles = 2 * kByteLanes };

/** Sums of the weights' products with values and of the weights themselves, both 16 times. */
typedef struct {
  int32_t products;
  int32_t weights;
} nibble_sums;

/** Adds sixteen bytes of weights, with zeros where there are none; 16 times each, as a byte's upper half has it. */
static inline void add_nibbles(nibble_sums *sums, int8x16_t evens, int8x16_t odds, int8x16_t bytes) {
  const int8x16_t low = vshlq_n_s8(bytes, 4);
  const int8x16_t high = vandq_s8(bytes, vdupq_n_s8(-16));
  sums->products = vmladavaq_s8(sums->products, evens, low);
  sums->products = vmladavaq_s8(sums->products, odds, high);
  sums->weights = vaddvaq_s8(sums->weights, low);
  sums->weights = vaddvaq_s8(sums->weights, high);
}

/** Bytes of `count` weights; what a last byte has besides becomes 0. */
static inline int8x16_t last_bytes(const int8_t *w, int32_t count) {
  const int8x16_t bytes = vldrbq_z_s8(w, vctp8q((uint32_t)(count + 1) / 2));
  const mve_pred16_t whole = vctp8q((uint32_t)count / 2);
  return vpselq_s8(bytes, vandq_s8(bytes, vdupq_n_s8(15)), whole);
}

/** Two rows that begin at whole bytes, `pitch` of them apart. Not inlined: it needs every register. */
__attribute__((noinline)) static void two_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w0,
                                                  int32_t pitch, int32_t depth) {
  const int8_t *w1 = w0 + pitch;
  nibble_sums row0 = {0, 0}, row1 = {0, 0};
  for (; depth >= kNibbles; depth -= kNibbles) {
    const int8x16x2_t values = vld2q_s8(x);
    add_nibbles(&row0, values.val[0], values.val[1], vldrbq_s8(w0));
    add_nibbles(&row1, values.val[0], values.val[1], vldrbq_s8(w1));
    x += kNibbles;
    w0 += kByteLanes;
    w1 += kByteLanes;
  }
  if (depth > 0) { /* VLD2 would read beyond the input. */
    const uint8x16_t places = vidupq_n_u8(0, 2);
    const int8x16_t evens = vldrbq_gather_offset_z_s8(x, places, vctp8q((uint32_t)(depth + 1) / 2));
    const int8x16_t odds = vldrbq_gather_offset_z_s8(x + 1, places, vctp8q((uint32_t)depth / 2));
    add_nibbles(&row0, evens, odds, last_bytes(w0, depth));
    add_nibbles(&row1, evens, odds, last_bytes(w1, depth));
  }
  sums[0] += (row0.products >> 4) + x_offset * (row0.weights >> 4);
  sums[1] += (row1.products >> 4) + x_offset * (row1.weights >> 4);
}

/** Rows r and second, of which both or none begin within a byte; they may be the same. */
static void add_pair_s4(int32_t *sums, int32_t r, int32_t second, const int8_t *x, int32_t x_offset, const int8_t *w,
                        int32_t first, int32_t depth) {
  const int32_t index = first + r * depth;
  const int32_t odd = index & 1;
  const int8_t *row = w + (index + odd) / 2;
  const int32_t pitch = (second - r) * depth / 2;
  int32_t pair[2] = {sums[r], sums[second]};
  if (odd) {
    pair[0] += (*x + x_offset) * tinsmith_high_nibble(row[-1]);
    pair[1] += (*x + x_offset) * tinsmith_high_nibble(row[pitch - 1]);
  }
  two_dots_s4(pair, x + odd, x_offset, row, pitch, depth - odd);
  sums[r] = pair[0];
  sums[second] = pair[1];
}

void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows) {
  const int32_t step = depth % 2 == 0 ? 1 : 2; /* From a row to the next that begins in the same half of a byte. */
  for (int32_t pair = 0; pair < rows; pair += 2 * step) {
    for (int32_t r = pair; r < pair + step && r < rows; ++r) {
      add_pair_s4(sums, r, r + step < rows ? r + step : r, x, x_offset, w, first, depth);
    }
  }
}

#endif /* TINSMITH_NN_MVE */
