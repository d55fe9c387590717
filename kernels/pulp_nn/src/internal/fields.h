// Products of words of inputs and weights of few bits. Who includes it says how many BITS weights have, 2 or 4, and has
// sums_of_fields() for the core.
//
// A byte holds weights of ROWS rows, each moved to the left by BITS more than that of the row before.
#ifndef TINSMITH_PULP_INTERNAL_FIELDS_H_
#define TINSMITH_PULP_INTERNAL_FIELDS_H_

#include "corev.h"
#include "stage.h"

#define ROWS (8u / BITS)

// Bytes of four columns of a block of rows.
#define BLOCK_WORD_BYTES (2u * BITS)

#if !TINSMITH_COREV

// Bytes of a word, each moved to the left.
ALWAYS_INLINE uint32_t moved(uint32_t bytes, uint32_t bits) {
  return bytes << bits & UINT32_C(0x01010101) * (0xffu << bits & 0xffu);
}

// acc[i] += the products of `words` words of inputs and of the bytes that hold row i, moved until row i is highest.
ALWAYS_INLINE void sums_of_fields(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  for (uint32_t word = 0u; word < words; ++word) {
    const uint32_t x = load_word(p + 4u * word);
    for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
      const uint32_t bytes = load_word(w + BLOCK_WORD_BYTES * word + i / ROWS * 4u);
      acc[i] = corev_dot4(x, moved(bytes, BITS * (ROWS - 1u - i % ROWS)), acc[i], true);
    }
  }
}

#endif

#endif /* TINSMITH_PULP_INTERNAL_FIELDS_H_ */
