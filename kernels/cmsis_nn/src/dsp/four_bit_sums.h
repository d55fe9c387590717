/* Sums of products with weights of four bits for the DSP extension: a word holds two values of k for four channels, as
 * in convolve_columns.h.
 */
#ifndef TINSMITH_NN_DSP_FOUR_BIT_SUMS_H
#define TINSMITH_NN_DSP_FOUR_BIT_SUMS_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/dsp.h"

/** Sums of four channels, of three, of two, of one. */
typedef struct {
  int32_t first[4];
} sums;

static inline void add_lanes(sums *acc, uint32_t x, uint32_t w) {
  acc->first[0] = tinsmith_smlad(x, w, acc->first[0]);
  acc->first[1] = tinsmith_smlad(x, w & ~UINT32_C(0xf000f000), acc->first[1]);
  acc->first[2] = tinsmith_smlad(x, w & UINT32_C(0x00ff00ff), acc->first[2]);
  acc->first[3] = tinsmith_smlad(x, w & UINT32_C(0x000f000f), acc->first[3]);
}

/** acc + the last 1 to 3 values of k, 8 bytes of weights. */
TINSMITH_NOINLINE static sums add_rest(sums acc, const int8_t *x, int32_t count, const tinsmith_lanes *weights) {
  const uint32_t word = tinsmith_load_bytes(x, count);
  add_lanes(&acc, tinsmith_sxtb16(word), weights[0]);
  add_lanes(&acc, tinsmith_sxtb16_ror8(word), weights[1]);
  return acc;
}

/* Four values of k, of the registers s0 to s3, x, w, word, lanes, w0 and w1. */
/* clang-format off */
#define TINSMITH_FOUR_BITS_HALF(w)                      \
      "smlad  %[s0], %[lanes], %[" w "], %[s0]\n"       \
      "bic    %[" w "], %[" w "], #0xf000f000\n"        \
      "smlad  %[s1], %[lanes], %[" w "], %[s1]\n"       \
      "bic    %[" w "], %[" w "], #0x0f000f00\n"        \
      "smlad  %[s2], %[lanes], %[" w "], %[s2]\n"       \
      "bic    %[" w "], %[" w "], #0x00f000f0\n"        \
      "smlad  %[s3], %[lanes], %[" w "], %[s3]\n"
#define TINSMITH_FOUR_BITS_STEP                         \
      "ldr    %[word], [%[x]], #4\n"                    \
      "ldrd   %[w0], %[w1], [%[w]], #8\n"               \
      "sxtb16 %[lanes], %[word]\n"                      \
      TINSMITH_FOUR_BITS_HALF("w0")                     \
      "sxtb16 %[lanes], %[word], ror #8\n"              \
      TINSMITH_FOUR_BITS_HALF("w1")
/* clang-format on */

/** acc += 4 values of k, `steps` times, at least once. In assembly, or compilers reload what they spill. */
TINSMITH_NEEDS_MOST void add_steps(sums *acc, const int8_t *x, const tinsmith_lanes *weights, int32_t steps) {
  const int8_t *end = x + 4 * steps;
  uint32_t word = (uint32_t)steps;
  uint32_t lanes, w0, w1;
  /* clang-format off */
  __asm__ volatile(
      "tst    %[word], #1\n" /* an odd number of steps: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_FOUR_BITS_STEP
      "2:\n"
      TINSMITH_FOUR_BITS_STEP
      "cmp    %[x], %[end]\n"
      "bne    1b\n"
      : [s0] "+&r"(acc->first[0]), [s1] "+&r"(acc->first[1]), [s2] "+&r"(acc->first[2]), [s3] "+&r"(acc->first[3]),
        [x] "+&r"(x), [w] "+&r"(weights), [word] "+&r"(word), [lanes] "=&r"(lanes), [w0] "=&r"(w0), [w1] "=&r"(w1)
      : [end] "r"(end)
      : "cc", "memory");
  /* clang-format on */
}

#endif /* TINSMITH_NN_DSP_FOUR_BIT_SUMS_H */
