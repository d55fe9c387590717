/* Sums of weights of two bits, for convolve_columns.h: 4 output channels x 2 pixels per step.
 *
 * A word of 32 bits has the weights of four channels a, b, c, d for four values of k, as sixteen numbers of two bits.
 * One `and` with a turned word leaves two of them in each lane: that of a in its two lowest bits and that of b in its
 * two uppermost ones, then again for c and d. A weight of b is a number with a sign, -2 to 1, there; to one of a
 * something was added ahead of time, 1 if none of the layer is -2, or else 2, so that it is not negative. So with x the
 * input, one smlad gives
 *     both += x * (a' + 2^14 b)
 * of two values of k and two channels: 4 products by one multiplication and half an `and`, as two pixels share it. The
 * sums of a' are what is kept apart: before one can leave 14 bits with a sign, which is after 32 values of k if 1 was
 * added and after 20 if 2 (128 * 2 * 32 = 2^13), the lowest 14 bits of both - bottom are its growth.
 *     b = (both - bottom) / 2^14, exact modulo 2^18; the arranger has proved |b| < 2^17.
 *
 * With narrow multipliers the bias is a part of what is added behind the multiplication.
 */
#ifndef TINSMITH_NN_DSP_TWO_BIT_SUMS_H
#define TINSMITH_NN_DSP_TWO_BIT_SUMS_H

#include "src/dsp/two_bit_lanes.h"
#include "src/internal/compiler.h"
#include "src/internal/dsp.h"

/** Sums of each pixel for the channel pairs (a, b) and (c, d). */
typedef struct {
  int32_t both[kPixels][2];
  int32_t bottom[kPixels][2];
} sums;

TINSMITH_ALWAYS_INLINE void start_sums(sums *acc, int32_t p, const int32_t *bias) {
  for (int32_t pair = 0; pair < 2; ++pair) {
    acc->both[p][pair] = acc->bottom[p][pair] = TINSMITH_NN_NARROW ? 0 : bias[2 * pair];
  }
}

TINSMITH_ALWAYS_INLINE void end_sums(const sums *acc, int32_t p, const int32_t *bias, int32_t term, int32_t *values) {
  for (int32_t pair = 0; pair < 2; ++pair) {
    values[2 * pair] = acc->bottom[p][pair] + term;
    const int32_t top = tinsmith_two_bit_top(acc->both[p][pair], acc->bottom[p][pair]);
    values[2 * pair + 1] = TINSMITH_NN_NARROW ? top : top + bias[2 * pair + 1];
  }
}

/** both += 4 values of k at a time from `columns` up to `end`, not none. */
TINSMITH_NEEDS_ALL void add_words(sums *acc, const tinsmith_lanes **columns, const int8_t **weights,
                                  const tinsmith_lanes *end) {
  const tinsmith_lanes *c = *columns;
  const int8_t *p = *weights;
  uint32_t x0 = (uint32_t)((uintptr_t)end - (uintptr_t)c);
  uint32_t x1, w, t;
  /* clang-format off */
#define TINSMITH_BOTH_PIXELS(pair, turn)               \
      "and    %[t], %[m], %[w]" turn "\n"              \
      "smlad  %[s0" pair "], %[x0], %[t], %[s0" pair "]\n" \
      "smlad  %[s1" pair "], %[x1], %[t], %[s1" pair "]\n"
#define TINSMITH_WORD                                  \
      "ldrd   %[x0], %[x1], [%[c]], #8\n"              \
      "ldr    %[w], [%[p]], #4\n"                      \
      TINSMITH_BOTH_PIXELS("0", "")                    \
      TINSMITH_BOTH_PIXELS("1", ", ror #4")            \
      "ldrd   %[x0], %[x1], [%[c]], #8\n"              \
      TINSMITH_BOTH_PIXELS("0", ", ror #8")            \
      TINSMITH_BOTH_PIXELS("1", ", ror #12")
  __asm__ volatile(
      "tst    %[x0], #16\n" /* an odd number of words: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_WORD
      "2:\n"
      TINSMITH_WORD
      "cmp    %[c], %[end]\n"
      "bne    1b\n"
      : [s00] "+r"(acc->both[0][0]), [s01] "+r"(acc->both[0][1]), [s10] "+r"(acc->both[1][0]),
        [s11] "+r"(acc->both[1][1]), [c] "+r"(c), [p] "+r"(p), [x0] "+&r"(x0), [x1] "=&r"(x1), [w] "=&r"(w),
        [t] "=&r"(t)
      : [m] "r"(TINSMITH_TWO_BIT_LANES), [end] "r"(end)
      : "cc", "memory");
#undef TINSMITH_WORD
#undef TINSMITH_BOTH_PIXELS
  /* clang-format on */
  *columns = c;
  *weights = p;
}

/** Add depth / 4 blocks of 4 values of k, each 4 bytes of weights. columns: lanes (k, k + 2) of pixel 0 and 1, then
 * (k + 1, k + 3) of both. Returns the end of the weights read. */
static inline const int8_t *multiply(sums *acc, const tinsmith_lanes *columns, const int8_t *weights, int32_t depth,
                                     int32_t added) {
  const int32_t words = tinsmith_two_bit_run(added) * kPixels * 2;
  const tinsmith_lanes *end = columns + depth / 2 * kPixels;
  TINSMITH_NO_UNROLL
  while (columns != end) {
    const tinsmith_lanes *stop = end - columns > words ? columns + words : end;
    add_words(acc, &columns, &weights, stop);
    for (int32_t p = 0; p < kPixels; ++p) {
      acc->bottom[p][0] += tinsmith_two_bit_growth(acc->both[p][0], acc->bottom[p][0]);
      acc->bottom[p][1] += tinsmith_two_bit_growth(acc->both[p][1], acc->bottom[p][1]);
    }
  }
  return weights;
}

#endif /* TINSMITH_NN_DSP_TWO_BIT_SUMS_H */
