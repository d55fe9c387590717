// Fully connected layers with weights of four bits.
#include "internal/corev.h"

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

#define BITS 4u
#include "internal/linear_few_bits.h"

#define ARRANGED(SUFFIX, KIND)                                                                                 \
  void tinsmith_pulp_arranged_linear_s4##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    linear_few_bits(call, core, KIND);                                                                         \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)
