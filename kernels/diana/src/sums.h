// Sums of bytes, as int8, in words that lie `step` bytes apart, and means of them.
#ifndef TINSMITH_KERNELS_DIANA_SUMS_H_
#define TINSMITH_KERNELS_DIANA_SUMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "words.h"

// What takes all bytes of a word into a sum.
#define ONES 0x01010101u

// Counts up to this have a reciprocal of so many bits by which means are exact.
#define MOST_WITH_RECIPROCAL 256u
#define RECIPROCAL_BITS 24u

// What sums of `count` int8 are divided by: below 2**24.
typedef struct {
  uint32_t count, reciprocal;
  // Half of the count, and 128 times it.
  uint32_t offset;
  uint32_t is_even;
} divisor_t;

static inline divisor_t divisor_of(uint32_t count) {
  const divisor_t divisor = {count, ((1u << RECIPROCAL_BITS) + count - 1u) / count, count / 2u + 128u * count,
                             (count & 1u) ^ 1u};
  return divisor;
}

// What is divided for a sum's mean, in [0, 256 * count): a quotient that is rounded down is then the mean plus 128 with
// halves away from zero, as a half of a negative sum would go up.
static inline uint32_t dividend_of(int32_t sum, const divisor_t *by) {
  return (uint32_t)sum + by->offset - (by->is_even & (uint32_t)sum >> 31);
}

// sum / count plus 128. With r = (2**24 + e) / count, e < count, and a dividend t, t * r is below 2**32, and t * e
// below 2**24 for counts up to 256: so what r has too much never reaches the next integer.
static inline uint32_t biased_mean(int32_t sum, const divisor_t *by, bool has_reciprocal) {
  const uint32_t dividend = dividend_of(sum, by);
  return has_reciprocal ? dividend * by->reciprocal >> RECIPROCAL_BITS : dividend / by->count;
}

static inline int32_t mean_of(int32_t sum, const divisor_t *by, int32_t least, int32_t most) {
  const int32_t mean = (int32_t)biased_mean(sum, by, by->count <= MOST_WITH_RECIPROCAL) - 128;
  const int32_t lower = mean < least ? least : mean;
  return lower > most ? most : lower;
}

// The means of four sums, each in [least, most], in the order of memory.
static inline uint32_t means_of(const int32_t sums[4], const divisor_t *by, int32_t least, int32_t most) {
  uint32_t word = 0u;
  if (by->count <= MOST_WITH_RECIPROCAL) {
    for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
      word |= biased_mean(sums[i], by, true) << (BYTE_BITS * i);
    }
  } else {
    for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
      word |= biased_mean(sums[i], by, false) << (BYTE_BITS * i);
    }
  }
  return clip_four(word ^ 0x80808080u, least, most);
}

// sum + the bytes of `count` words, each times the byte of ones.
static inline int32_t sum_of_words(const uint8_t *from, uint32_t count, uint32_t step, uint32_t ones, int32_t sum) {
#if TINSMITH_DIANA_COREV
  for (; count >= 4u; count -= 4u) {
    uint32_t a, b, c, d;
    __asm__ volatile(
        "cv.lw %[a], (%[p]), %[step]\n\t"
        "cv.lw %[b], (%[p]), %[step]\n\t"
        "cv.lw %[c], (%[p]), %[step]\n\t"
        "cv.lw %[d], (%[p]), %[step]\n\t"
        "cv.sdotsp.b %[sum], %[a], %[ones]\n\t"
        "cv.sdotsp.b %[sum], %[b], %[ones]\n\t"
        "cv.sdotsp.b %[sum], %[c], %[ones]\n\t"
        "cv.sdotsp.b %[sum], %[d], %[ones]"
        : [p] "+&r"(from), [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        : [step] "r"(step), [ones] "r"(ones)
        : "memory");
  }
#endif
  for (; count != 0u; --count, from += step) {
    sum = add_four(sum, load_row_word(from), ones);
  }
  return sum;
}

// The same of pairs of words side by side, the second ones times the byte of `last`.
static inline int32_t sum_of_pairs(const uint8_t *from, uint32_t count, uint32_t step, uint32_t last, int32_t sum) {
#if TINSMITH_DIANA_COREV
  const uint8_t *second = from + WORD_ELEMENTS;
  for (; count >= 4u; count -= 4u) {
    uint32_t a, b, c, d;
    __asm__ volatile(
        ".rept 2\n\t"
        "cv.lw %[a], (%[p]), %[step]\n\t"
        "cv.lw %[b], (%[q]), %[step]\n\t"
        "cv.lw %[c], (%[p]), %[step]\n\t"
        "cv.lw %[d], (%[q]), %[step]\n\t"
        "cv.sdotsp.b %[sum], %[a], %[ones]\n\t"
        "cv.sdotsp.b %[sum], %[b], %[last]\n\t"
        "cv.sdotsp.b %[sum], %[c], %[ones]\n\t"
        "cv.sdotsp.b %[sum], %[d], %[last]\n\t"
        ".endr"
        : [p] "+&r"(from), [q] "+&r"(second), [sum] "+&r"(sum), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
        : [step] "r"(step), [ones] "r"(ONES), [last] "r"(last)
        : "memory");
  }
#endif
  for (; count != 0u; --count, from += step) {
    const uint32_t a = load_row_word(from), b = load_row_word(from + WORD_ELEMENTS);
    sum = add_four(add_four(sum, a, ONES), b, last);
  }
  return sum;
}

// Adds the four elements of one pixel's word to their sums.
static inline void add_pixel(const uint8_t *from, int32_t sums[4]) {
  const uint32_t word = load_row_word(from);
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    sums[i] = add_four(sums[i], word, 1u << free_bits(i + 1u));
  }
}

// Adds the elements of `count` pixels' words to the sums of their channels.
static inline void add_pixels(const uint8_t *from, uint32_t count, uint32_t step, int32_t sums[4]) {
#if TINSMITH_DIANA_COREV
  // Two words are packed to two of which each has two channels: a product adds two elements, not one.
  int32_t first = sums[0], second = sums[1], third = sums[2], fourth = sums[3];
  for (; count >= 16u; count -= 16u) {
    uint32_t a, b, c, d, e;
    __asm__ volatile(
        ".rept 4\n\t"
        "cv.lw %[a], (%[p]), %[step]\n\t"
        "cv.lw %[b], (%[p]), %[step]\n\t"
        "cv.lw %[c], (%[p]), %[step]\n\t"
        "cv.lw %[d], (%[p]), %[step]\n\t"
        "cv.pack.h %[e], %[a], %[b]\n\t"
        "cv.pack %[a], %[a], %[b]\n\t"
        "cv.pack.h %[b], %[c], %[d]\n\t"
        "cv.pack %[c], %[c], %[d]\n\t"
        "cv.sdotsp.b %[w], %[e], %[upper]\n\t"
        "cv.sdotsp.b %[x], %[e], %[lower]\n\t"
        "cv.sdotsp.b %[y], %[a], %[upper]\n\t"
        "cv.sdotsp.b %[z], %[a], %[lower]\n\t"
        "cv.sdotsp.b %[w], %[b], %[upper]\n\t"
        "cv.sdotsp.b %[x], %[b], %[lower]\n\t"
        "cv.sdotsp.b %[y], %[c], %[upper]\n\t"
        "cv.sdotsp.b %[z], %[c], %[lower]\n\t"
        ".endr"
        : [p] "+&r"(from), [w] "+&r"(first), [x] "+&r"(second), [y] "+&r"(third), [z] "+&r"(fourth), [a] "=&r"(a),
          [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [e] "=&r"(e)
        : [step] "r"(step), [upper] "r"(0x01000100u), [lower] "r"(0x00010001u)
        : "memory");
  }
  sums[0] = first;
  sums[1] = second;
  sums[2] = third;
  sums[3] = fourth;
#endif
  for (; count != 0u; --count, from += step) {
    add_pixel(from, sums);
  }
}

#endif  // TINSMITH_KERNELS_DIANA_SUMS_H_
