// Bounds narrower than a byte's: applied to what is stored, so that loops without them need no other form.
#include "internal/clamp.h"

#if TINSMITH_COREV

// Pairs of words in eight instructions, 1 or more.
#define CLAMP_PAIRS(MAX, MIN) \
  __asm__ volatile(COREV_LOOP("%[n]")                                                                 \
                   "lw %[x], 0(%[bytes])\n\t"                                                         \
                   "lw %[y], 4(%[bytes])\n\t" MAX " %[x], %[x], %[min]\n\t" MAX                       \
                   " %[y], %[y], %[min]\n\t" MIN " %[x], %[x], %[max]\n\t" MIN " %[y], %[y], %[max]\n\t" \
                   "cv.sw %[x], (%[bytes]), 4\n\t"                                                    \
                   "cv.sw %[y], (%[bytes]), 4" COREV_LOOP_END                                         \
                   : [bytes] "+&r"(bytes), [x] "=&r"(x), [y] "=&r"(y)                                 \
                   : [n] "r"(count / 8u), [min] "r"(min), [max] "r"(max)                              \
                   : "memory")

static uint8_t *clamp_pairs(uint8_t *bytes, uint32_t count, int32_t min, int32_t max, bool is_signed) {
  uint32_t x, y;
  if (is_signed) {
    CLAMP_PAIRS("cv.max.sc.b", "cv.min.sc.b");
  } else {
    CLAMP_PAIRS("cv.maxu.sc.b", "cv.minu.sc.b");
  }
  return bytes;
}

#endif

void clamp_bytes(uint8_t *bytes, uint32_t count, int32_t min, int32_t max, bool is_signed) {
#if TINSMITH_COREV
  if (count >= 8u) {
    bytes = clamp_pairs(bytes, count, min, max, is_signed);
    count &= 7u;
  }
#endif
  for (; count != 0u; --count) {
    *bytes = (uint8_t)corev_clamp_bytes(*bytes, min, max, is_signed);
    ++bytes;
  }
}
