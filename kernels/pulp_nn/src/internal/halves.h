// Products of words of inputs and weights of four bits, of which a byte has those of two rows.
#ifndef TINSMITH_KERNELS_PULP_NN_HALVES_H_
#define TINSMITH_KERNELS_PULP_NN_HALVES_H_

#include "corev.h"
#include "stage.h"

// Bytes of a word of four columns: weights of two rows in each byte.
#define BLOCK_WORD_BYTES 8u

#if TINSMITH_COREV

// Nine instructions for 16 products, as with weights of bytes: a shift by lanes stands where a load did.
ALWAYS_INLINE void sums_of_halves(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  uint32_t x, pair, other, low;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[pair], (%[w]), 4\n\t"
                   "cv.lw %[x], (%[p]), 4\n\t"
                   "cv.lw %[other], (%[w]), 4\n\t"
                   "cv.sll.sci.b %[low], %[pair], 4\n\t"
                   "cv.sdotsp.b %[a1], %[x], %[pair]\n\t"
                   "cv.sdotsp.b %[a0], %[x], %[low]\n\t"
                   "cv.sll.sci.b %[low], %[other], 4\n\t"
                   "cv.sdotsp.b %[a3], %[x], %[other]\n\t"
                   "cv.sdotsp.b %[a2], %[x], %[low]"  //
                   COREV_LOOP_END
                   : [w] "+&r"(w), [p] "+&r"(p), [x] "=&r"(x), [pair] "=&r"(pair), [other] "=&r"(other),
                     [low] "=&r"(low), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]), [a3] "+&r"(acc[3])
                   : [n] "r"(words)
                   : "memory");
}

#else

// acc[even] += 16 times the sum of the even row, acc[odd] += that of the even row and 16 times that of the odd one.
ALWAYS_INLINE void sums_of_halves(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  for (uint32_t word = 0u; word < words; ++word) {
    for (uint32_t i = 0u; i < STAGE_CHANNELS; i += 2u) {
      const uint32_t pair = load_word(w + BLOCK_WORD_BYTES * word + 2u * i);
      const uint32_t x = load_word(p + 4u * word);
      acc[i] = corev_dot4(x, pair << 4 & UINT32_C(0xf0f0f0f0), acc[i], true);
      acc[i + 1u] = corev_dot4(x, pair, acc[i + 1u], true);
    }
  }
}

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_HALVES_H_
