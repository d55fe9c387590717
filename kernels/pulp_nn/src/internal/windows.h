// Loops over a window: the largest bytes or the sums of four or eight channels.
#ifndef TINSMITH_KERNELS_PULP_NN_WINDOWS_H_
#define TINSMITH_KERNELS_PULP_NN_WINDOWS_H_

#include "stage.h"

#define BLOCK_CHANNELS 4u

// The part of a window that lies inside the input: `lines` lines of `taps` pixels, both 1 or more.
typedef struct {
  const uint8_t *first;
  uint32_t lines, taps;
  uint32_t tap_step;   // bytes from pixel to pixel
  uint32_t line_step;  // bytes from behind a line to the next one
} window_t;

#if TINSMITH_COREV

// Two nested hardware loops. An inner one has three instructions or more.
#define FOR_WINDOW(BODY, INPUTS, ...)                                                                    \
  __asm__ volatile(COREV_OUTER_LOOP("%[lines]") COREV_LOOP("%[taps]") BODY COREV_LOOP_END                \
                   "\tadd %[from], %[from], %[jump]\n\t"                                                 \
                   "nop" COREV_OUTER_LOOP_END                                                            \
                   : [from] "+&r"(from), [x] "=&r"(x), [y] "=&r"(y), __VA_ARGS__                         \
                   : [lines] "r"(window->lines), [taps] "r"(window->taps), [step] "r"(window->tap_step), \
                     [jump] "r"(window->line_step)INPUTS                                                 \
                   : "memory")

#define NO_INPUTS
// A dot product with a word that holds a single 1 picks a byte.
#define PICKS , [p0] "r"(0x00000001u), [p1] "r"(0x00000100u), [p2] "r"(0x00010000u), [p3] "r"(0x01000000u)

#define LOAD_ONE "cv.lw %[x], (%[from]), %[step]\n\t"
#define LOAD_TWO "lw %[y], 4(%[from])\n\t" LOAD_ONE

#define MAX_ONE(MAX) LOAD_ONE "nop\n\t" MAX " %[m0], %[m0], %[x]"
#define MAX_TWO(MAX) LOAD_TWO MAX " %[m1], %[m1], %[y]\n\t" MAX " %[m0], %[m0], %[x]"

ALWAYS_INLINE void window_max(const window_t *window, const uint8_t *from, uint32_t words, bool is_signed,
                              uint32_t *max) {
  uint32_t x, y;
  if (words == 1u && is_signed) {
    FOR_WINDOW(MAX_ONE("cv.max.b"), NO_INPUTS, [m0] "+&r"(max[0]));
  } else if (words == 1u) {
    FOR_WINDOW(MAX_ONE("cv.maxu.b"), NO_INPUTS, [m0] "+&r"(max[0]));
  } else if (is_signed) {
    FOR_WINDOW(MAX_TWO("cv.max.b"), NO_INPUTS, [m0] "+&r"(max[0]), [m1] "+&r"(max[1]));
  } else {
    FOR_WINDOW(MAX_TWO("cv.maxu.b"), NO_INPUTS, [m0] "+&r"(max[0]), [m1] "+&r"(max[1]));
  }
}

#define FOUR_SUMS(DOT, X, A, B, C, D)                                                                                \
  DOT " %[" A "], %[" X "], %[p0]\n\t" DOT " %[" B "], %[" X "], %[p1]\n\t" DOT " %[" C "], %[" X "], %[p2]\n\t" DOT \
      " %[" D "], %[" X "], %[p3]"

#define SUM_ONE(DOT) LOAD_ONE FOUR_SUMS(DOT, "x", "a0", "a1", "a2", "a3")
#define SUM_TWO(DOT) \
  LOAD_TWO FOUR_SUMS(DOT, "y", "b0", "b1", "b2", "b3") "\n\t" FOUR_SUMS(DOT, "x", "a0", "a1", "a2", "a3")

#define FIRST_SUMS [a0] "+&r"(sums[0]), [a1] "+&r"(sums[1]), [a2] "+&r"(sums[2]), [a3] "+&r"(sums[3])
#define ALL_SUMS FIRST_SUMS, [b0] "+&r"(sums[4]), [b1] "+&r"(sums[5]), [b2] "+&r"(sums[6]), [b3] "+&r"(sums[7])

ALWAYS_INLINE void window_sums(const window_t *window, const uint8_t *from, uint32_t words, bool is_signed,
                               int32_t *sums) {
  uint32_t x, y;
  if (words == 1u && is_signed) {
    FOR_WINDOW(SUM_ONE("cv.sdotsp.b"), PICKS, FIRST_SUMS);
  } else if (words == 1u) {
    FOR_WINDOW(SUM_ONE("cv.sdotusp.b"), PICKS, FIRST_SUMS);
  } else if (is_signed) {
    FOR_WINDOW(SUM_TWO("cv.sdotsp.b"), PICKS, ALL_SUMS);
  } else {
    FOR_WINDOW(SUM_TWO("cv.sdotusp.b"), PICKS, ALL_SUMS);
  }
}

#else

ALWAYS_INLINE void window_max(const window_t *window, const uint8_t *from, uint32_t words, bool is_signed,
                              uint32_t *max) {
  for (uint32_t line = 0u; line < window->lines; ++line) {
    for (uint32_t tap = 0u; tap < window->taps; ++tap) {
      for (uint32_t word = 0u; word < words; ++word) {
        max[word] = corev_max_bytes(max[word], load_word(from + 4u * word), is_signed);
      }
      from += window->tap_step;
    }
    from += window->line_step;
  }
}

ALWAYS_INLINE void window_sums(const window_t *window, const uint8_t *from, uint32_t words, bool is_signed,
                               int32_t *sums) {
  for (uint32_t line = 0u; line < window->lines; ++line) {
    for (uint32_t tap = 0u; tap < window->taps; ++tap) {
      for (uint32_t i = 0u; i < BLOCK_CHANNELS * words; ++i) {
        sums[i] += is_signed ? (int8_t)from[i] : from[i];
      }
      from += window->tap_step;
    }
    from += window->line_step;
  }
}

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_WINDOWS_H_
