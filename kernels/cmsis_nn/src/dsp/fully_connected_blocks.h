/* Four outputs of a fully connected layer at a time, on arranged weights for the DSP extension.
 *
 * Weights as in convolve_columns.h: a word holds two values of k for two channels, both = x * (b + 256 t). The input is
 * unpacked on the way.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_BLOCKS_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_BLOCKS_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/dsp.h"
#include "src/internal/requantize.h"

enum { kChannels = 4 };

/** Sums for the channel pairs (a, b) and (c, d). */
typedef struct {
  int32_t both[2];
  int32_t bottom[2];
} sums;

/** Two values of k for four channels: x lanes (k, k'), two words of weights. */
static inline void add_lanes(sums *acc, uint32_t x, const tinsmith_lanes *weights) {
  const uint32_t w0 = weights[0];
  const uint32_t w1 = weights[1];
  acc->both[0] = tinsmith_smlad(x, w0, acc->both[0]);
  acc->both[1] = tinsmith_smlad(x, w1, acc->both[1]);
  acc->bottom[0] = tinsmith_smlad(x, tinsmith_sxtb16(w0), acc->bottom[0]);
  acc->bottom[1] = tinsmith_smlad(x, tinsmith_sxtb16(w1), acc->bottom[1]);
}

/** acc + the last 1 to 3 values of k, one 16-byte block of weights. */
TINSMITH_NOINLINE static sums add_rest(sums acc, const int8_t *x, int32_t count, const tinsmith_lanes *weights) {
  const uint32_t word = tinsmith_load_bytes(x, count);
  add_lanes(&acc, tinsmith_sxtb16(word), weights);
  add_lanes(&acc, tinsmith_sxtb16_ror8(word), weights + 2);
  return acc;
}

/** acc += the first `blocks` blocks of 4 values of k, at least one. In assembly, or compilers reload what they spill.
 */
TINSMITH_NEEDS_MOST void add_blocks(sums *acc, const int8_t *x, const tinsmith_lanes *weights, int32_t blocks) {
  const int8_t *end = x + 4 * blocks;
  uint32_t word = (uint32_t)blocks;
  uint32_t lanes, w0, w1;
  /* clang-format off */
#define TINSMITH_HALF_BLOCK                       \
      "ldrd   %[w0], %[w1], [%[w]], #8\n"         \
      "smlad  %[s0], %[lanes], %[w0], %[s0]\n"    \
      "smlad  %[s1], %[lanes], %[w1], %[s1]\n"    \
      "sxtb16 %[w0], %[w0]\n"                     \
      "sxtb16 %[w1], %[w1]\n"                     \
      "smlad  %[b0], %[lanes], %[w0], %[b0]\n"    \
      "smlad  %[b1], %[lanes], %[w1], %[b1]\n"
#define TINSMITH_BLOCK                            \
      "ldr    %[word], [%[x]], #4\n"              \
      "sxtb16 %[lanes], %[word]\n"                \
      TINSMITH_HALF_BLOCK                         \
      "sxtb16 %[lanes], %[word], ror #8\n"        \
      TINSMITH_HALF_BLOCK
  __asm__ volatile(
      "tst    %[word], #1\n" /* an odd number of blocks: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_BLOCK
      "2:\n"
      TINSMITH_BLOCK
      "cmp    %[x], %[end]\n"
      "bne    1b\n"
      : [s0] "+&r"(acc->both[0]), [s1] "+&r"(acc->both[1]), [b0] "+&r"(acc->bottom[0]), [b1] "+&r"(acc->bottom[1]),
        [x] "+&r"(x), [w] "+&r"(weights), [word] "+&r"(word), [lanes] "=&r"(lanes), [w0] "=&r"(w0), [w1] "=&r"(w1)
      : [end] "r"(end)
      : "cc", "memory");
#undef TINSMITH_BLOCK
#undef TINSMITH_HALF_BLOCK
  /* clang-format on */
}

static inline int8_t scale(int32_t acc, int32_t multiplier, int32_t shift, int32_t half_and_zero_point) {
  return tinsmith_saturate_s8(tinsmith_requantize_folded(acc, multiplier, shift, half_and_zero_point));
}

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_BLOCKS_H */
