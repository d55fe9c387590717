// Weights of two bits become bytes, for kernels of int8.
#include "internal/widen.h"

#define WORDS 1u

#if TINSMITH_COREV

// Twelve instructions for sixteen weights, `count` times, 1 or more; one waits for the load.
static void widen(const uint32_t *from, uint32_t *to, uint32_t count) {
  uint32_t a, x, y, z;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[a], (%[from]), 4\n\t"
                   "cv.sll.sci.b %[x], %[a], 6\n\t"
                   "cv.sll.sci.b %[y], %[a], 4\n\t"
                   "cv.sra.sci.b %[x], %[x], 6\n\t"
                   "cv.sll.sci.b %[z], %[a], 2\n\t"
                   "cv.sra.sci.b %[y], %[y], 6\n\t"
                   "cv.sw %[x], (%[to]), 4\n\t"
                   "cv.sra.sci.b %[z], %[z], 6\n\t"
                   "cv.sw %[y], (%[to]), 4\n\t"
                   "cv.sra.sci.b %[a], %[a], 6\n\t"
                   "cv.sw %[z], (%[to]), 4\n\t"
                   "cv.sw %[a], (%[to]), 4"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
                   : [n] "r"(count)
                   : "memory");
}

// The same of 64 times the weights: where bits lie decides, so an instruction less.
static void widen_by_64(const uint32_t *from, uint32_t *to, uint32_t count) {
  uint32_t a, x, y, z;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[a], (%[from]), 4\n\t"
                   "cv.sll.sci.b %[x], %[a], 6\n\t"
                   "cv.sll.sci.b %[y], %[a], 4\n\t"
                   "cv.sll.sci.b %[z], %[a], 2\n\t"
                   "and %[y], %[y], %[mask]\n\t"
                   "cv.sw %[x], (%[to]), 4\n\t"
                   "and %[z], %[z], %[mask]\n\t"
                   "cv.sw %[y], (%[to]), 4\n\t"
                   "and %[a], %[a], %[mask]\n\t"
                   "cv.sw %[z], (%[to]), 4\n\t"
                   "cv.sw %[a], (%[to]), 4"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [x] "=&r"(x), [y] "=&r"(y), [z] "=&r"(z)
                   : [n] "r"(count), [mask] "r"(UINT32_C(0xc0c0c0c0))
                   : "memory");
}

#else

#define SIGNS UINT32_C(0x02020202)

static void widen(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < WORDS * count; ++i) {
    for (uint32_t field = 0u; field < 4u; ++field) {
      to[4u * i + field] = with_signs(from[i] >> 2u * field & UINT32_C(0x03030303), SIGNS);
    }
  }
}

static void widen_by_64(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < WORDS * count; ++i) {
    for (uint32_t field = 0u; field < 4u; ++field) {
      to[4u * i + field] = from[i] << (6u - 2u * field) & UINT32_C(0xc0c0c0c0);
    }
  }
}

#endif

void tinsmith_pulp_widen_s2(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, WORDS, widen);
}

void tinsmith_pulp_widen_s2_by_64(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, WORDS, widen_by_64);
}
