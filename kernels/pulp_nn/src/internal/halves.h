// Products of words of inputs and weights of four bits, of which a byte has those of two rows: 16 times the sum of the
// even one, and that of the even one and 16 times that of the odd one.
#ifndef TINSMITH_PULP_INTERNAL_HALVES_H_
#define TINSMITH_PULP_INTERNAL_HALVES_H_

#define BITS 4u
#include "fields.h"

#if TINSMITH_COREV

// Nine instructions for 16 products, as with weights of bytes: a shift by lanes stands where a load did.
ALWAYS_INLINE void sums_of_fields(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
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

#endif

#endif /* TINSMITH_PULP_INTERNAL_HALVES_H_ */
