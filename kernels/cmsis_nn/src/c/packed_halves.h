/* Weights of four bits for packed_pixels.h: one product of 32 bits is that of an input with two weights.
 *
 * Weights are 8 more than they are, so that none is negative, and two of them stand in a word's lanes of 16 bits as
 * a + 65536 b. With x the input, sums of x * (a + 65536 b) contain those of both channels, as long as that of the first
 * is a number of 16 bits: kTogether values of k, then they are taken apart. What the 8s add is 8 times the inputs' sum.
 * As many as one word of memory holds, four pairs, come out of it by a shift and a mask each.
 */
#ifndef TINSMITH_NN_C_PACKED_HALVES_H
#define TINSMITH_NN_C_PACKED_HALVES_H

#include <string.h>

#include "src/internal/compiler.h"

enum {
  kLanePairs = kChannels / 2,
  kTogether = 16, /* 16 * 128 * 15 < 2^15 */
};

/** Bytes of a group of channels: a word for each two values of k. */
TINSMITH_ALWAYS_INLINE int32_t group_bytes(int32_t depth) {
  return (depth + 1) / 2 * 4;
}

/** The pair that stands `place` bits from the word's end. */
static inline uint32_t pair_at(uint32_t word, int32_t place) {
  return (word >> place) & UINT32_C(0x000f000f);
}

/** lanes[p][pair] += inputs[p][k] * the weights of one k, whose pairs begin at `place`. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void add_pairs(uint32_t lanes[][kLanePairs], const int8_t *const *inputs, int32_t k,
                                      uint32_t word, int32_t place, int32_t pixels) {
  uint32_t first = pair_at(word, place);
  uint32_t second = pair_at(word, place + 4);
  TINSMITH_KEEP_ORDER(first);
  TINSMITH_KEEP_ORDER(second);
  for (int32_t p = 0; p < pixels; ++p) {
    uint32_t x = (uint32_t)inputs[p][k];
    TINSMITH_KEEP_ORDER(x);
    lanes[p][0] += x * first;
    lanes[p][1] += x * second;
    TINSMITH_KEEP_ORDER(lanes[p][0]);
    TINSMITH_KEEP_ORDER(lanes[p][1]);
  }
}

static inline uint32_t load_pairs(const int8_t *weights) {
  uint32_t word;
  memcpy(&word, __builtin_assume_aligned(weights, 4), sizeof word);
  return word;
}

/** sums[p][c] += what the lanes hold. */
TINSMITH_ALWAYS_INLINE void add_lanes(int32_t sums[][kChannels], uint32_t lanes[][kLanePairs], int32_t pixels) {
  for (int32_t p = 0; p < pixels; ++p) {
    for (int32_t pair = 0; pair < kLanePairs; ++pair) {
      const int32_t low = (int16_t)lanes[p][pair];
      sums[p][2 * pair] += low;
      sums[p][2 * pair + 1] += (int32_t)(lanes[p][pair] - (uint32_t)low) >> 16;
    }
  }
}

/** sums[p][c] += sum over k of inputs[p][k] * (w[k][c] + 8). pixels is a constant. */
TINSMITH_ALWAYS_INLINE void add_raised(int32_t sums[][kChannels], const int8_t **inputs, const int8_t *weights,
                                       int32_t depth, int32_t pixels) {
  TINSMITH_NO_UNROLL
  for (; depth > 0; depth -= kTogether) {
    uint32_t lanes[kPixels][kLanePairs];
    for (int32_t p = 0; p < pixels; ++p) {
      lanes[p][0] = lanes[p][1] = 0;
    }
    const int32_t count = depth < kTogether ? depth : kTogether;
    const int8_t *end = weights + count / 4 * 8;
    TINSMITH_NO_UNROLL
    while (weights != end) {
      const uint32_t word = load_pairs(weights);
      add_pairs(lanes, inputs, 0, word, 0, pixels);
      add_pairs(lanes, inputs, 1, word, 8, pixels);
      const uint32_t next = load_pairs(weights + 4);
      add_pairs(lanes, inputs, 2, next, 0, pixels);
      add_pairs(lanes, inputs, 3, next, 8, pixels);
      for (int32_t p = 0; p < pixels; ++p) {
        inputs[p] += 4;
      }
      weights += 8;
    }
    if (count & 2) {
      const uint32_t word = load_pairs(weights);
      add_pairs(lanes, inputs, 0, word, 0, pixels);
      add_pairs(lanes, inputs, 1, word, 8, pixels);
      for (int32_t p = 0; p < pixels; ++p) {
        inputs[p] += 2;
      }
      weights += 4;
    }
    if (count & 1) {
      add_pairs(lanes, inputs, 0, load_pairs(weights), 0, pixels);
    }
    add_lanes(sums, lanes, pixels);
  }
}

/** acc[p][c] = starts[p] + bias[c] + sum over k of x[p][k] * w[k][c]. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void multiply(int32_t acc[][kChannels], const int32_t *bias, const int32_t *starts,
                                     const int8_t *const *x, const int8_t *weights, int32_t depth, int32_t pixels) {
  /* Copies that nothing points to, so that they live in registers. */
  const int8_t *inputs[kPixels];
  int32_t sums[kPixels][kChannels];
  for (int32_t p = 0; p < pixels; ++p) {
    inputs[p] = x[p];
    for (int32_t c = 0; c < kChannels; ++c) {
      sums[p][c] = starts[p] + (TINSMITH_NN_NARROW ? 0 : bias[c]);
    }
  }
  add_raised(sums, inputs, weights, depth, pixels);
  for (int32_t p = 0; p < pixels; ++p) {
    for (int32_t c = 0; c < kChannels; ++c) {
      acc[p][c] = sums[p][c];
    }
  }
}

#endif /* TINSMITH_NN_C_PACKED_HALVES_H */
