/* Products of one vector with rows of a matrix in plain C (internal/dots.h). */

#include "src/internal/dots.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/nibbles.h"

#if TINSMITH_NN_C

static int32_t dot_s8(int32_t sum, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t depth) {
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum += (*x++ + x_offset) * *w++;
  }
  return sum;
}

static void four_dots_s8(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch,
                         int32_t depth) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    const int32_t value = *x++ + x_offset;
    sum0 += value * *w++;
    sum1 += value * *w1++;
    sum2 += value * *w2++;
    sum3 += value * *w3++;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

void tinsmith_dots_s8(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch, int32_t depth,
                      int32_t rows) {
  for (; rows >= kDotRows; rows -= kDotRows) {
    four_dots_s8(sums, x, x_offset, w, pitch, depth);
    sums += kDotRows;
    w += kDotRows * pitch;
  }
  for (int32_t r = 0; r < rows; ++r) {
    sums[r] = dot_s8(sums[r], x, x_offset, w + r * pitch, depth);
  }
}

/** Modulo 2^32. */
static void four_narrow_dots_s16_s8(int32_t *sums, const int16_t *x, const int8_t *w, int32_t pitch, int32_t depth) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  uint32_t sum0 = (uint32_t)sums[0], sum1 = (uint32_t)sums[1], sum2 = (uint32_t)sums[2], sum3 = (uint32_t)sums[3];
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    const int32_t value = *x++;
    sum0 += (uint32_t)(value * *w++);
    sum1 += (uint32_t)(value * *w1++);
    sum2 += (uint32_t)(value * *w2++);
    sum3 += (uint32_t)(value * *w3++);
  }
  sums[0] = (int32_t)sum0;
  sums[1] = (int32_t)sum1;
  sums[2] = (int32_t)sum2;
  sums[3] = (int32_t)sum3;
}

/** Modulo 2^32. */
static int32_t narrow_dot_s16_s8(int32_t start, const int16_t *x, const int8_t *w, int32_t depth) {
  uint32_t sum = (uint32_t)start;
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum += (uint32_t)(*x++ * *w++);
  }
  return (int32_t)sum;
}

void tinsmith_dots_s16_s8_modulo(int32_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows) {
  for (; rows >= kDotRows; rows -= kDotRows) {
    four_narrow_dots_s16_s8(sums, x, w, depth, depth);
    sums += kDotRows;
    w += kDotRows * depth;
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

static int32_t dot_s4(int32_t sum, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth) {
  w += first >> 1;
  if (first & 1) {
    sum += (*x++ + x_offset) * tinsmith_high_nibble(*w++);
    --depth;
  }
  TINSMITH_NO_UNROLL
  for (; depth > 1; depth -= 2) {
    const int8_t pair = *w++;
    sum += (x[0] + x_offset) * tinsmith_low_nibble(pair);
    sum += (x[1] + x_offset) * tinsmith_high_nibble(pair);
    x += 2;
  }
  return depth > 0 ? sum + (*x + x_offset) * tinsmith_low_nibble(*w) : sum;
}

void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows) {
  for (int32_t r = 0; r < rows; ++r) {
    sums[r] = dot_s4(sums[r], x, x_offset, w, first + r * depth, depth);
  }
}

#endif /* TINSMITH_NN_C */
