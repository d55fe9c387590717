/* Products of one vector with rows of a matrix for the DSP extension (internal/dots.h): two products per instruction.
 */

#include "src/internal/dots.h"

#include <string.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/nibbles.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

static int32_t dot_s8(int32_t sum, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t depth) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)x_offset, (uint32_t)x_offset);
  TINSMITH_NO_UNROLL
  for (; depth > 3; depth -= 4) {
    const uint32_t bytes = tinsmith_load_word(x);
    const uint32_t row = tinsmith_load_word(w);
    sum = tinsmith_smlad(tinsmith_sxtab16(offsets, bytes), tinsmith_sxtb16(row), sum);
    sum = tinsmith_smlad(tinsmith_sxtab16_ror8(offsets, bytes), tinsmith_sxtb16_ror8(row), sum);
    x += 4;
    w += 4;
  }
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum += (*x++ + x_offset) * *w++;
  }
  return sum;
}

/** acc + the products of four weights with lanes (0, 2) and (1, 3). */
static inline int32_t add_four(int32_t acc, uint32_t even, uint32_t odd, const int8_t *w) {
  const uint32_t row = tinsmith_load_word(w);
  return tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row), tinsmith_smlad(even, tinsmith_sxtb16(row), acc));
}

/* In assembly, because 14 values live at once and compilers spill three; the end waits on the stack, as do the sums'
 * addresses, whose register the loop uses. */
/* clang-format off */
#define TINSMITH_ADD_ROW(load, sum)                 \
      load                                          \
      "sxtb16 %[t], %[r]\n"                         \
      "smlad  %[" sum "], %[e], %[t], %[" sum "]\n" \
      "sxtb16 %[r], %[r], ror #8\n"                 \
      "smlad  %[" sum "], %[o], %[r], %[" sum "]\n"

/** sums[i] += `depth` products of row i, a multiple of 4 above 0. last: row 3. */
TINSMITH_NEEDS_MOST void add_four_rows(int32_t *sums, const int8_t *x, uint32_t offsets, const int8_t *w, int32_t pitch,
                                       const int8_t *last, int32_t depth) {
  uint32_t even = (uint32_t)(uintptr_t)(x + depth); /* the end */
  uint32_t odd = (uint32_t)(uintptr_t)sums;
  uint32_t sum0, sum1, sum2, sum3, row, lanes;
  __asm__ volatile(
      "strd    %[e], %[o], [sp, #-8]!\n"
      "ldrd    %[s0], %[s1], [%[o]]\n"
      "ldrd    %[s2], %[s3], [%[o], #8]\n"
      "1:\n"
      "ldr     %[r], [%[x]], #4\n"
      "sxtab16 %[e], %[offsets], %[r]\n"
      "sxtab16 %[o], %[offsets], %[r], ror #8\n"
      TINSMITH_ADD_ROW("ldr %[r], [%[w], %[pitch]]\n", "s1")
      TINSMITH_ADD_ROW("ldr %[r], [%[w], %[pitch], lsl #1]\n", "s2")
      TINSMITH_ADD_ROW("ldr %[r], [%[last]], #4\n", "s3")
      TINSMITH_ADD_ROW("ldr %[r], [%[w]], #4\n", "s0")
      "ldr     %[e], [sp]\n"
      "cmp     %[x], %[e]\n"
      "bne     1b\n"
      "ldr     %[o], [sp, #4]\n"
      "add     sp, #8\n"
      "strd    %[s0], %[s1], [%[o]]\n"
      "strd    %[s2], %[s3], [%[o], #8]\n"
      : [s0] "=&r"(sum0), [s1] "=&r"(sum1), [s2] "=&r"(sum2), [s3] "=&r"(sum3), [x] "+&r"(x), [w] "+&r"(w),
        [last] "+&r"(last), [e] "+&r"(even), [o] "+&r"(odd), [r] "=&r"(row), [t] "=&r"(lanes)
      : [offsets] "r"(offsets), [pitch] "r"(pitch)
      : "cc", "memory");
}
#undef TINSMITH_ADD_ROW
/* clang-format on */

/** The same for up to three products. */
static inline void add_last_products(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch,
                                     const int8_t *last, int32_t depth) {
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  TINSMITH_NO_UNROLL
  for (const int8_t *end = x + depth; x != end;) {
    const int32_t value = *x++ + x_offset;
    sum0 += value * *w++;
    sum1 += value * *w1++;
    sum2 += value * *w2++;
    sum3 += value * *last++;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

/** What all rows meet. */
typedef struct {
  const int8_t *x;
  int32_t x_offset;
  int32_t depth;
  int32_t pitch; /* of the rows */
} vector_s8;

/** last: row 3, which may be another one again. Not inlined: it needs every register. */
TINSMITH_NOINLINE static void four_dots_s8(int32_t sums[kDotRows], const vector_s8 *v, const int8_t *w,
                                           const int8_t *last) {
  const int32_t depth = v->depth;
  const int32_t whole = depth & ~3;
  if (whole > 0) {
    const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)v->x_offset, (uint32_t)v->x_offset);
    add_four_rows(sums, v->x, offsets, w, v->pitch, last, whole);
  }
  if (whole != depth) {
    add_last_products(sums, v->x + whole, v->x_offset, w + whole, v->pitch, last + whole, depth & 3);
  }
}

void tinsmith_dots_s8(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t pitch, int32_t depth,
                      int32_t rows) {
  const vector_s8 v = {x, x_offset, depth, pitch};
  TINSMITH_NO_UNROLL
  for (; rows > 3; rows -= kDotRows) {
    four_dots_s8(sums, &v, w, w + 3 * pitch);
    sums += kDotRows;
    w += kDotRows * pitch;
  }
  if (rows == 3) { /* Three and one of them again take less than three singly. */
    int32_t four[kDotRows] = {sums[0], sums[1], sums[2], 0};
    four_dots_s8(four, &v, w, w + 2 * pitch);
    memcpy(sums, four, 3 * sizeof *sums);
    return;
  }
  TINSMITH_NO_UNROLL
  for (; rows > 0; --rows) {
    *sums = dot_s8(*sums, x, x_offset, w, depth);
    ++sums;
    w += pitch;
  }
}

/** bottom = top of a, top = top of b. */
static inline uint32_t pack_tops(uint32_t a, uint32_t b) {
  uint32_t lanes;
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(lanes) : "r"(b), "r"(a));
  return lanes;
}

/** Modulo 2^32. */
static int32_t narrow_dot_s16_s8(int32_t sum, const int16_t *x, const int8_t *w, int32_t depth) {
  TINSMITH_NO_UNROLL
  for (; depth > 3; depth -= 4) {
    const uint32_t low = tinsmith_load_word(x);
    const uint32_t high = tinsmith_load_word(x + 2);
    sum = add_four(sum, tinsmith_pack_bottoms(low, high), pack_tops(low, high), w);
    x += 4;
    w += 4;
  }
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum = tinsmith_smlabb((uint32_t)*x++, (uint32_t)*w++, sum);
  }
  return sum;
}

/** Modulo 2^32. last: row 3, which may be another one again. */
static void four_narrow_dots_s16_s8(int32_t *sums, const int16_t *x, const int8_t *w, int32_t pitch, const int8_t *last,
                                    int32_t depth) {
  const int16_t *end = x + (depth & ~3);
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  TINSMITH_NO_UNROLL
  while (x != end) {
    const uint32_t low = tinsmith_load_word(x);
    const uint32_t high = tinsmith_load_word(x + 2);
    const uint32_t even = tinsmith_pack_bottoms(low, high);
    const uint32_t odd = pack_tops(low, high);
    sum0 = add_four(sum0, even, odd, w);
    sum1 = add_four(sum1, even, odd, w + pitch);
    sum2 = add_four(sum2, even, odd, w + 2 * pitch);
    sum3 = add_four(sum3, even, odd, last);
    x += 4;
    w += 4;
    last += 4;
  }
  TINSMITH_NO_UNROLL
  for (int32_t left = depth & 3; left > 0; --left) {
    const uint32_t value = (uint32_t)*x++;
    sum0 = tinsmith_smlabb(value, (uint32_t)w[0], sum0);
    sum1 = tinsmith_smlabb(value, (uint32_t)w[pitch], sum1);
    sum2 = tinsmith_smlabb(value, (uint32_t)w[2 * pitch], sum2);
    sum3 = tinsmith_smlabb(value, (uint32_t)*last++, sum3);
    ++w;
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

void tinsmith_dots_s16_s8_modulo(int32_t *sums, const int16_t *x, const int8_t *w, int32_t depth, int32_t rows) {
  for (; rows > 3; rows -= kDotRows) {
    four_narrow_dots_s16_s8(sums, x, w, depth, w + 3 * depth, depth);
    sums += kDotRows;
    w += kDotRows * depth;
  }
  if (rows == 3) {
    int32_t four[kDotRows] = {sums[0], sums[1], sums[2], 0};
    four_narrow_dots_s16_s8(four, x, w, depth, w + 2 * depth, depth);
    memcpy(sums, four, 3 * sizeof *sums);
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
      four_narrow_dots_s16_s8(narrow, x + k, w + k, depth, w + 3 * depth + k, count);
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

/** acc + 16 times the products of four weights, the lower half of `bytes`, with lanes (0, 2) and (1, 3). */
static inline int32_t add_nibbles(int32_t acc, uint32_t even, uint32_t odd, uint32_t bytes) {
  const uint32_t upper_halves = 0xf0f0f0f0;
  uint32_t spread; /* byte 0, byte 1 in the bottom of each lane */
  __asm__("pkhbt %0, %1, %1, lsl #8" : "=r"(spread) : "r"(bytes));
  acc = tinsmith_smlad(even, tinsmith_sxtb16((spread << 4) & upper_halves), acc);
  return tinsmith_smlad(odd, tinsmith_sxtb16(spread & upper_halves), acc);
}

/** Weights taken as 16 times themselves, in the upper half of a byte: the sum is 16 times too large, below 2^31 for a
 * depth of up to 2^16. */
static int32_t dot_s4(const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)x_offset, (uint32_t)x_offset);
  int32_t sum = 0;
  int32_t acc = 0;
  w += first >> 1;
  if (first & 1) {
    sum = (*x++ + x_offset) * tinsmith_high_nibble(*w++);
    --depth;
  }
  const int8_t *end = x + (depth & ~7);
  TINSMITH_NO_UNROLL
  while (x != end) {
    const uint32_t eight = tinsmith_load_word(w);
    const uint32_t low = tinsmith_load_word(x);
    const uint32_t high = tinsmith_load_word(x + 4);
    acc = add_nibbles(acc, tinsmith_sxtab16(offsets, low), tinsmith_sxtab16_ror8(offsets, low), eight);
    acc = add_nibbles(acc, tinsmith_sxtab16(offsets, high), tinsmith_sxtab16_ror8(offsets, high), eight >> 16);
    x += 8;
    w += 4;
  }
  sum += acc >> 4;
  depth &= 7;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    sum += (*x++ + x_offset) * tinsmith_nibble(w, k);
  }
  return sum;
}

/** Two rows that begin at whole bytes. */
static void two_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w0, const int8_t *w1,
                        int32_t depth) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)x_offset, (uint32_t)x_offset);
  int32_t acc0 = 0, acc1 = 0;
  const int8_t *end = x + (depth & ~7);
  TINSMITH_NO_UNROLL
  while (x != end) {
    const uint32_t row0 = tinsmith_load_word(w0);
    const uint32_t row1 = tinsmith_load_word(w1);
    const uint32_t low = tinsmith_load_word(x);
    const uint32_t even0 = tinsmith_sxtab16(offsets, low);
    const uint32_t odd0 = tinsmith_sxtab16_ror8(offsets, low);
    acc0 = add_nibbles(acc0, even0, odd0, row0);
    acc1 = add_nibbles(acc1, even0, odd0, row1);
    const uint32_t high = tinsmith_load_word(x + 4);
    const uint32_t even1 = tinsmith_sxtab16(offsets, high);
    const uint32_t odd1 = tinsmith_sxtab16_ror8(offsets, high);
    acc0 = add_nibbles(acc0, even1, odd1, row0 >> 16);
    acc1 = add_nibbles(acc1, even1, odd1, row1 >> 16);
    x += 8;
    w0 += 4;
    w1 += 4;
  }
  int32_t sum0 = acc0 >> 4, sum1 = acc1 >> 4;
  depth &= 7;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    const int32_t value = *x++ + x_offset;
    sum0 += value * tinsmith_nibble(w0, k);
    sum1 += value * tinsmith_nibble(w1, k);
  }
  sums[0] += sum0;
  sums[1] += sum1;
}

void tinsmith_dots_s4(int32_t *sums, const int8_t *x, int32_t x_offset, const int8_t *w, int32_t first, int32_t depth,
                      int32_t rows) {
  int32_t r = 0;
  for (; ((first | depth) & 1) == 0 && r + 1 < rows; r += 2) {
    const int8_t *row = w + ((first + r * depth) >> 1);
    two_dots_s4(sums + r, x, x_offset, row, row + (depth >> 1), depth);
  }
  for (; r < rows; ++r) {
    sums[r] += dot_s4(x, x_offset, w, first + r * depth, depth);
  }
}

#endif /* TINSMITH_NN_DSP */
