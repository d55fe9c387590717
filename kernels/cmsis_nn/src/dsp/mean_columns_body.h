/* Means of columns of int8 (tinsmith_nn_rescaling.h) with the DSP extension: eight columns as lanes of 16 bits. */
#ifndef TINSMITH_NN_DSP_MEAN_COLUMNS_BODY_H
#define TINSMITH_NN_DSP_MEAN_COLUMNS_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/common/mean_columns.h"
#include "src/internal/dsp.h"

enum {
  kColumns = 8,
  kMostRows = 256 /* whose sum fits a lane: 256 * -128 = -2^15 */
};

/** Lanes + bytes 0 and 2 of word. */
static inline uint32_t add_even(uint32_t lanes, uint32_t word) {
  __asm__("sxtab16 %0, %0, %1" : "+r"(lanes) : "r"(word));
  return lanes;
}

/** Lanes + bytes 1 and 3 of word. */
static inline uint32_t add_odd(uint32_t lanes, uint32_t word) {
  __asm__("sxtab16 %0, %0, %1, ror #8" : "+r"(lanes) : "r"(word));
  return lanes;
}

/** Four sums: columns 0 and 2, and columns 1 and 3. */
static inline void add_lanes(uint32_t *sums, uint32_t even, uint32_t odd) {
  sums[0] += (uint32_t)(int16_t)even;
  sums[1] += (uint32_t)(int16_t)odd;
  sums[2] += (uint32_t)((int32_t)even >> 16);
  sums[3] += (uint32_t)((int32_t)odd >> 16);
}

TINSMITH_NOINLINE static void sum_s8(const int8_t *input, int32_t rows, int32_t pitch, uint32_t sums[kColumns]) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < kColumns; ++i) {
    sums[i] = 0;
  }
  TINSMITH_NO_UNROLL
  while (rows > 0) {
    uint32_t even = 0, odd = 0, next_even = 0, next_odd = 0;
    int32_t left = rows < kMostRows ? rows : kMostRows;
    rows -= left;
    TINSMITH_NO_UNROLL
    for (; left > 0; --left) {
      const uint32_t word = tinsmith_load_word(input), next = tinsmith_load_word(input + 4);
      even = add_even(even, word);
      odd = add_odd(odd, word);
      next_even = add_even(next_even, next);
      next_odd = add_odd(next_odd, next);
      input += pitch;
    }
    add_lanes(sums, even, odd);
    add_lanes(sums + 4, next_even, next_odd);
  }
}

TINSMITH_DEFINE_MEAN_COLUMNS(tinsmith_mean_columns_s8, int8_t, sum_s8, kColumns)

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_MEAN_COLUMNS_BODY_H */
