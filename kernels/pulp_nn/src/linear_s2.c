// Fully connected layers with weights of two bits.
#include "internal/corev.h"

#if TINSMITH_COREV

// Nine instructions for 16 products, as with weights of bytes: three shifts by lanes stand where loads did.
ALWAYS_INLINE void sums_of_fields(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  uint32_t x, all, first, second, third;
  __asm__ volatile(
      COREV_LOOP("%[n]")  //
      "cv.lw %[all], (%[w]), 4\n\t"
      "cv.lw %[x], (%[p]), 4\n\t"
      "cv.sll.sci.b %[first], %[all], 6\n\t"
      "cv.sdotsp.b %[a3], %[x], %[all]\n\t"
      "cv.sll.sci.b %[second], %[all], 4\n\t"
      "cv.sdotsp.b %[a0], %[x], %[first]\n\t"
      "cv.sll.sci.b %[third], %[all], 2\n\t"
      "cv.sdotsp.b %[a1], %[x], %[second]\n\t"
      "cv.sdotsp.b %[a2], %[x], %[third]"  //
      COREV_LOOP_END
      : [w] "+&r"(w), [p] "+&r"(p), [x] "=&r"(x), [all] "=&r"(all), [first] "=&r"(first), [second] "=&r"(second),
        [third] "=&r"(third), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]), [a3] "+&r"(acc[3])
      : [n] "r"(words)
      : "memory");
}

#endif

#define BITS 2u
#include "internal/linear_few_bits.h"

#define ARRANGED(SUFFIX, KIND)                                                                                 \
  void tinsmith_pulp_arranged_linear_s2##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    linear_few_bits(call, core, KIND);                                                                         \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)
