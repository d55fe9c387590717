// Weights of four bits become bytes, for kernels of int8.
#include "internal/widen.h"

#define WORDS 2u

#if TINSMITH_COREV

// Twelve instructions for sixteen weights, `count` times, 1 or more.
static void widen(const uint32_t *from, uint32_t *to, uint32_t count) {
  uint32_t a, b, x, y;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[a], (%[from]), 4\n\t"
                   "cv.lw %[b], (%[from]), 4\n\t"
                   "cv.sll.sci.b %[x], %[a], 4\n\t"
                   "cv.sra.sci.b %[a], %[a], 4\n\t"
                   "cv.sra.sci.b %[x], %[x], 4\n\t"
                   "cv.sw %[x], (%[to]), 4\n\t"
                   "cv.sll.sci.b %[y], %[b], 4\n\t"
                   "cv.sra.sci.b %[b], %[b], 4\n\t"
                   "cv.sra.sci.b %[y], %[y], 4\n\t"
                   "cv.sw %[a], (%[to]), 4\n\t"
                   "cv.sw %[y], (%[to]), 4\n\t"
                   "cv.sw %[b], (%[to]), 4"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [y] "=&r"(y)
                   : [n] "r"(count)
                   : "memory");
}

// The same of 16 times the weights: where bits lie decides, so two instructions less for eight of them.
static void widen_by_16(const uint32_t *from, uint32_t *to, uint32_t count) {
  uint32_t a, b, x, y;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[a], (%[from]), 4\n\t"
                   "cv.lw %[b], (%[from]), 4\n\t"
                   "cv.sll.sci.b %[x], %[a], 4\n\t"
                   "cv.and.sci.b %[a], %[a], -16\n\t"
                   "cv.sw %[x], (%[to]), 4\n\t"
                   "cv.sll.sci.b %[y], %[b], 4\n\t"
                   "cv.and.sci.b %[b], %[b], -16\n\t"
                   "cv.sw %[a], (%[to]), 4\n\t"
                   "cv.sw %[y], (%[to]), 4\n\t"
                   "cv.sw %[b], (%[to]), 4"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [y] "=&r"(y)
                   : [n] "r"(count)
                   : "memory");
}

#else

#define SIGNS UINT32_C(0x08080808)

static void widen(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < WORDS * count; ++i) {
    to[2u * i] = with_signs(from[i] & UINT32_C(0x0f0f0f0f), SIGNS);
    to[2u * i + 1u] = with_signs(from[i] >> 4 & UINT32_C(0x0f0f0f0f), SIGNS);
  }
}

static void widen_by_16(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < WORDS * count; ++i) {
    to[2u * i] = from[i] << 4 & UINT32_C(0xf0f0f0f0);
    to[2u * i + 1u] = from[i] & UINT32_C(0xf0f0f0f0);
  }
}

#endif

void tinsmith_pulp_widen_s4(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, WORDS, widen);
}

void tinsmith_pulp_widen_s4_by_16(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, WORDS, widen_by_16);
}
