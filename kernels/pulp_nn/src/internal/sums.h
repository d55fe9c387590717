// Inner loops: sums of products of int8 weights and int8 or uint8 activations, four bytes an instruction.
#ifndef TINSMITH_KERNELS_PULP_NN_SUMS_H_
#define TINSMITH_KERNELS_PULP_NN_SUMS_H_

#include "stage.h"

#define PIXELS_PACKED 4u
#define PIXELS_PLAIN 2u

#if TINSMITH_COREV

// clang-format off

// One activation word with the words of four channels, into the sums of a pixel.
#define FOUR_DOTS(DOT, X, PIXEL) \
  LINE(DOT " %[" PIXEL "0], %[" X "], %[w0]") \
  LINE(DOT " %[" PIXEL "1], %[" X "], %[w1]") \
  LINE(DOT " %[" PIXEL "2], %[" X "], %[w2]") \
  LINE(DOT " %[" PIXEL "3], %[" X "], %[w3]")

// A word of four pixels with words of four channels: 24 instructions for 64 products, none of which waits for a load.
// The first pixel's address moves on; the others are step1 to step3 behind the first one's next word. BEFORE_LAST may
// change x.
#define FOUR_BY_FOUR(DOT, BEFORE_LAST) \
  LINE("cv.lw %[w0], (%[weights]), 4") \
  LINE("cv.lw %[x], (%[pixel]), 4") \
  LINE("cv.lw %[w1], (%[weights]), 4") \
  LINE("cv.lw %[w2], (%[weights]), 4") \
  LINE("cv.lw %[w3], (%[weights]), 4") \
  LINE("cv.lw %[y], %[step1](%[pixel])") \
  FOUR_DOTS(DOT, "x", "a") \
  LINE("cv.lw %[x], %[step2](%[pixel])") \
  FOUR_DOTS(DOT, "y", "b") \
  LINE("cv.lw %[y], %[step3](%[pixel])") \
  FOUR_DOTS(DOT, "x", "c") \
  BEFORE_LAST \
  FOUR_DOTS(DOT, "y", "d")

// The same for two pixels and four plain rows of weights: 14 instructions for 32 products. The first row's address moves
// on; the others are row1 to row3 behind its next word.
#define FOUR_BY_TWO(DOT, BEFORE_LAST) \
  LINE("cv.lw %[w0], (%[weights]), 4") \
  LINE("cv.lw %[w1], %[row1](%[weights])") \
  LINE("cv.lw %[w2], %[row2](%[weights])") \
  LINE("cv.lw %[w3], %[row3](%[weights])") \
  LINE("cv.lw %[x], (%[pixel]), 4") \
  LINE("cv.lw %[y], %[step1](%[pixel])") \
  FOUR_DOTS(DOT, "x", "a") \
  BEFORE_LAST \
  FOUR_DOTS(DOT, "y", "b")

// For one pixel: 9 instructions for 16 products.
#define FOUR_BY_ONE(DOT, R0, R1, R2, R3) \
  LINE("cv.lw %[x], (%[p]), 4") \
  LINE("cv.lw %[w0], (%[" R0 "]), 4") \
  LINE("cv.lw %[w1], (%[" R1 "]), 4") \
  LINE("cv.lw %[w2], (%[" R2 "]), 4") \
  LINE("cv.lw %[w3], (%[" R3 "]), 4") \
  FOUR_DOTS(DOT, "x", "a")

// clang-format on

// A line of the instruction cache: where a loop lies in lines moves when the cores meet in banks of the memory.
#define AT_LINE ".balign 16\n\t"

// The counter's register takes the pixels.
#define SUMS_PACKED(DOT)                                                                                            \
  __asm__ volatile(                                                                                                 \
      AT_LINE COREV_LOOP("%[x]") FOUR_BY_FOUR(DOT, "") COREV_LOOP_END                                               \
      : [weights] "+&r"(weights), [pixel] "+&r"(pixel), [x] "+&r"(x), [y] "=&r"(y), [w0] "=&r"(w0), [w1] "=&r"(w1), \
        [w2] "=&r"(w2), [w3] "=&r"(w3), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]),                 \
        [a3] "+&r"(acc[3]), [b0] "+&r"(acc[4]), [b1] "+&r"(acc[5]), [b2] "+&r"(acc[6]), [b3] "+&r"(acc[7]),         \
        [c0] "+&r"(acc[8]), [c1] "+&r"(acc[9]), [c2] "+&r"(acc[10]), [c3] "+&r"(acc[11]), [d0] "+&r"(acc[12]),      \
        [d1] "+&r"(acc[13]), [d2] "+&r"(acc[14]), [d3] "+&r"(acc[15])                                               \
      : [step1] "r"(step - 4u), [step2] "r"(2u * step - 4u), [step3] "r"(3u * step - 4u)                            \
      : "memory")

// acc[4 pixels][4 channels] += weights packed [words][4 channels][4 bytes] times four pixels step bytes apart.
// Returns what follows the weights.
ALWAYS_INLINE const int8_t *sums_4x4(const int8_t *weights, const uint8_t *pixel, uint32_t step, uint32_t words,
                                     int32_t *acc, bool is_signed) {
  uint32_t x = words;
  uint32_t y, w0, w1, w2, w3;
  if (is_signed) {
    SUMS_PACKED("cv.sdotsp.b");
  } else {
    SUMS_PACKED("cv.sdotusp.b");
  }
  return weights;
}

#define SUMS_PLAIN(DOT)                                                                                             \
  __asm__ volatile(                                                                                                 \
      AT_LINE COREV_LOOP("%[x]") FOUR_BY_TWO(DOT, "") COREV_LOOP_END                                                \
      : [weights] "+&r"(weights), [pixel] "+&r"(pixel), [x] "+&r"(x), [y] "=&r"(y), [w0] "=&r"(w0), [w1] "=&r"(w1), \
        [w2] "=&r"(w2), [w3] "=&r"(w3), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]),                 \
        [a3] "+&r"(acc[3]), [b0] "+&r"(acc[4]), [b1] "+&r"(acc[5]), [b2] "+&r"(acc[6]), [b3] "+&r"(acc[7])          \
      : [row1] "r"(row_step - 4u), [row2] "r"(2u * row_step - 4u), [row3] "r"(3u * row_step - 4u),                  \
        [step1] "r"(step - 4u)                                                                                      \
      : "memory")

// acc[2 pixels][4 channels] += four rows of `words` words, row_step bytes apart, times two pixels.
ALWAYS_INLINE void sums_4x2_words(const int8_t *weights, uint32_t row_step, const uint8_t *pixel, uint32_t step,
                                  uint32_t words, int32_t *acc, bool is_signed) {
  uint32_t x = words;
  uint32_t y, w0, w1, w2, w3;
  if (is_signed) {
    SUMS_PLAIN("cv.sdotsp.b");
  } else {
    SUMS_PLAIN("cv.sdotusp.b");
  }
}

#define SUMS_VECTOR(DOT, R0, R1, R2, R3, ...)                                                                       \
  __asm__ volatile(COREV_LOOP("%[x]") FOUR_BY_ONE(DOT, R0, R1, R2, R3) COREV_LOOP_END                               \
                   : __VA_ARGS__, [p] "+&r"(p), [x] "+&r"(x), [w0] "=&r"(w0), [w1] "=&r"(w1), [w2] "=&r"(w2),       \
                     [w3] "=&r"(w3), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]), [a3] "+&r"(acc[3]) \
                   :                                                                                                \
                   : "memory")

// acc[4 channels] += packed weights times one pixel.
ALWAYS_INLINE const int8_t *sums_4x1_packed(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc,
                                            bool is_signed) {
  uint32_t x = words;
  uint32_t w0, w1, w2, w3;
  if (is_signed) {
    SUMS_VECTOR("cv.sdotsp.b", "w", "w", "w", "w", [w] "+&r"(w));
  } else {
    SUMS_VECTOR("cv.sdotusp.b", "w", "w", "w", "w", [w] "+&r"(w));
  }
  return w;
}

// acc[4 channels] += four rows of words times one pixel.
ALWAYS_INLINE void sums_4x1_words(const int8_t *r0, uint32_t row_step, const uint8_t *p, uint32_t words, int32_t *acc,
                                  bool is_signed) {
  const int8_t *r1 = r0 + row_step;
  const int8_t *r2 = r1 + row_step;
  const int8_t *r3 = r2 + row_step;
  uint32_t x = words;
  uint32_t w0, w1, w2, w3;
  if (is_signed) {
    SUMS_VECTOR("cv.sdotsp.b", "r0", "r1", "r2", "r3", [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3));
  } else {
    SUMS_VECTOR("cv.sdotusp.b", "r0", "r1", "r2", "r3", [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3));
  }
}

#else

ALWAYS_INLINE const int8_t *sums_packed(const int8_t *w, const uint8_t *p, uint32_t step, uint32_t words,
                                        uint32_t pixels, int32_t *acc, bool is_signed) {
  for (uint32_t word = 0u; word < words; ++word) {
    for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
      const uint32_t x = load_word(p + i / STAGE_CHANNELS * step + 4u * word);
      acc[i] = corev_dot4(x, load_word(w + 16u * word + 4u * (i % STAGE_CHANNELS)), acc[i], is_signed);
    }
  }
  return w + 16u * words;
}

ALWAYS_INLINE const int8_t *sums_4x4(const int8_t *w, const uint8_t *p, uint32_t step, uint32_t words, int32_t *acc,
                                     bool is_signed) {
  return sums_packed(w, p, step, words, PIXELS_PACKED, acc, is_signed);
}

ALWAYS_INLINE const int8_t *sums_4x1_packed(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc,
                                            bool is_signed) {
  return sums_packed(w, p, 0u, words, 1u, acc, is_signed);
}

ALWAYS_INLINE void sums_words(const int8_t *w, uint32_t row_step, const uint8_t *p, uint32_t step, uint32_t words,
                              uint32_t pixels, int32_t *acc, bool is_signed) {
  for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
    for (uint32_t word = 0u; word < words; ++word) {
      const uint32_t x = load_word(p + i / STAGE_CHANNELS * step + 4u * word);
      acc[i] = corev_dot4(x, load_word(w + i % STAGE_CHANNELS * row_step + 4u * word), acc[i], is_signed);
    }
  }
}

ALWAYS_INLINE void sums_4x2_words(const int8_t *w, uint32_t row_step, const uint8_t *p, uint32_t step, uint32_t words,
                                  int32_t *acc, bool is_signed) {
  sums_words(w, row_step, p, step, words, PIXELS_PLAIN, acc, is_signed);
}

ALWAYS_INLINE void sums_4x1_words(const int8_t *w, uint32_t row_step, const uint8_t *p, uint32_t words, int32_t *acc,
                                  bool is_signed) {
  sums_words(w, row_step, p, 0u, words, 1u, acc, is_signed);
}

#endif

ALWAYS_INLINE int32_t activation(const uint8_t *address, bool is_signed) {
  return is_signed ? (int8_t)*address : *address;
}

// What whole words leave over: acc[pixels][4 channels] += bytes first to columns - 1 of four rows.
ALWAYS_INLINE void sums_rest(const int8_t *rows, uint32_t row_step, const uint8_t *pixel, uint32_t step, uint32_t first,
                             uint32_t columns, uint32_t pixels, int32_t *acc, bool is_signed) {
  for (uint32_t k = first; k < columns; ++k) {
    for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
      const int32_t x = activation(pixel + i / STAGE_CHANNELS * step + k, is_signed);
      acc[i] += x * rows[i % STAGE_CHANNELS * row_step + k];
    }
  }
}

// acc[pixels][4 channels] += four rows of plain weights times pixels; pixels is 1 or 2.
ALWAYS_INLINE void sums_plain(const int8_t *rows, uint32_t columns, const uint8_t *pixel, uint32_t step,
                              uint32_t pixels, int32_t *acc, bool is_signed) {
  const uint32_t words = columns / 4u;
  if (words != 0u) {
    if (pixels == 1u) {
      sums_4x1_words(rows, columns, pixel, words, acc, is_signed);
    } else {
      sums_4x2_words(rows, columns, pixel, step, words, acc, is_signed);
    }
  }
  sums_rest(rows, columns, pixel, step, 4u * words, columns, pixels, acc, is_signed);
}

// The sum of one channel and one pixel: for channels that do not fill a block of four. weight_step is the distance of
// the words of a channel: 16 where they are packed.
ALWAYS_INLINE int32_t sum_single(const int8_t *weights, uint32_t weight_step, uint32_t columns, const uint8_t *pixel,
                                 int32_t acc, bool is_signed) {
  uint32_t k = 0u;
  for (; k + 4u <= columns; k += 4u) {
    acc = corev_dot4(load_word(pixel + k), load_word(weights), acc, is_signed);
    weights += weight_step;
  }
  for (; k < columns; ++k) {
    acc += activation(pixel + k, is_signed) * *weights++;
  }
  return acc;
}

#endif  // TINSMITH_KERNELS_PULP_NN_SUMS_H_
