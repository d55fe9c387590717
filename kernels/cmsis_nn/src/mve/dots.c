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

static void four_dots_s8(int32_t *sums, const int8_t *x, const int8_t *w, int32_t pitch, int32_t depth) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
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
  if (rows == kDotRows && x_offset == 0) {
    four_dots_s8(sums, x, w, pitch, depth);
    return;
  }
  for (int32_t r = 0; r < rows; ++r) {
    sums[r] = dot_s8(sums[r], x, x_offset, w + r * pitch, depth);
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

/** Modulo 2^32. */
static void four_narrow_dots_s16_s8(int32_t *sums, const int16_t *x, const int8_t *w, int32_t pitch, int32_t depth) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
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
  if (rows == kDotRows) {
    four_narrow_dots_s16_s8(sums, x, w, depth, depth);
    return;
  }
  for (int32_t r = 0; r < rows; ++r) {
    sums[r] = narrow_dot_s16_s8(sums[r], x, w + r * depth, depth);
  }
}

void tinsmith_dots_s16_s8(int64_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows) {
  for (int32_t k = 0; k < depth; k += kNarrowDepth) {
    const int32_t count = depth - k < kNarrowDepth ? depth - k : kNarrowDepth;
    if (rows == kDotRows) {
      int32_t narrow[kDotRows] = {0};
      four_narrow_dots_s16_s8(narrow, x + k, w + k, depth, count);
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

static void two_dots_s16(int64_t *sum0, int64_t *sum1, const int16_t *x, const int16_t *w0, const int16_t *w1,
                         int32_t depth) {
  int64_t acc0 = 0, acc1 = 0;
  for (int32_t left = depth; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    const int16x8_t values = vldrhq_z_s16(x, p);
    acc0 = vmlaldavaq_p_s16(acc0, values, vldrhq_z_s16(w0, p), p);
    acc1 = vmlaldavaq_p_s16(acc1, values, vldrhq_z_s16(w1, p), p);
    x += kHalfLanes;
    w0 += kHalfLanes;
    w1 += kHalfLanes;
  }
  *sum1 += acc1;
  *sum0 += acc0;
}

void tinsmith_dots_s16(int64_t *sums, const int16_t *x, const int16_t *w, int32_t depth, int32_t rows) {
  for (int32_t r = 0; r < rows; r += 2) {
    const bool single = r + 1 == rows;
    int64_t unused = 0;
    two_dots_s16(&sums[r], single ? &unused : &sums[r + 1], x, w + r * depth, w + (single ? r : r + 1) * depth, depth);
  }
}

enum { kNibbles = 2 * kByteLanes };

/** Sums of the weights' products with values and of the weights themselves. */
typedef struct {
  int32_t products;
  int32_t weights;
} nibble_sums;

/** Of kNibbles values, of which `count` have a weight. */
static inline nibble_sums add_nibbles(nibble_sums sums, const int8_t *x, const int8_t *w, uint32_t count) {
  const mve_pred16_t evens = vctp8q((count + 1) / 2);
  const mve_pred16_t odds = vctp8q(count / 2);
  const int8x16x2_t values = vld2q_s8(x);
  const int8x16_t bytes = vldrbq_z_s8(w, evens);
  const int8x16_t low = vshrq_n_s8(vshlq_n_s8(bytes, 4), 4);
  const int8x16_t high = vshrq_n_s8(bytes, 4);
  sums.products = vmladavaq_p_s8(sums.products, values.val[0], low, evens);
  sums.products = vmladavaq_p_s8(sums.products, values.val[1], high, odds);
  sums.weights = vaddvaq_p_s8(sums.weights, low, evens);
  sums.weights = vaddvaq_p_s8(sums.weights, high, odds);
  return sums;
}

static int32_t dot_s4(const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth) {
  nibble_sums sums = {0, 0};
  w += first >> 1;
  if (first & 1) {
    sums.weights = tinsmith_high_nibble(*w++);
    sums.products = *x++ * sums.weights;
    --depth;
  }
  for (; depth >= kNibbles; depth -= kNibbles) {
    sums = add_nibbles(sums, x, w, kNibbles);
    x += kNibbles;
    w += kByteLanes;
  }
  if (depth > 0) {
    int8_t values[kNibbles]; /* VLD2 would read beyond the input. */
    const uint32_t second = depth > kByteLanes ? (uint32_t)(depth - kByteLanes) : 0;
    vstrbq_s8(values, vldrbq_z_s8(x, vctp8q((uint32_t)depth)));
    vstrbq_s8(values + kByteLanes, vldrbq_z_s8(x + kByteLanes, vctp8q(second)));
    sums = add_nibbles(sums, values, w, (uint32_t)depth);
  }
  return sums.products + x_offset * sums.weights;
}

void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows) {
  for (int32_t r = 0; r < rows; ++r) {
    sums[r] += dot_s4(x, x_offset, w, first + r * depth, depth);
  }
}

#endif /* TINSMITH_NN_MVE */
