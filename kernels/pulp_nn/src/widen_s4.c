// Weights of four bits become bytes, for kernels of int8.
#include "internal/corev.h"
#include "tinsmith_pulp_four_bits.h"

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

// The lower four bits of each byte with their sign; the upper ones are 0.
static uint32_t with_signs(uint32_t halves) {
  const uint32_t above_0 = ((halves ^ UINT32_C(0x08080808)) | UINT32_C(0x80808080)) - UINT32_C(0x08080808);
  return above_0 ^ UINT32_C(0x80808080);
}

static void widen(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < 2u * count; ++i) {
    to[2u * i] = with_signs(from[i] & UINT32_C(0x0f0f0f0f));
    to[2u * i + 1u] = with_signs(from[i] >> 4 & UINT32_C(0x0f0f0f0f));
  }
}

static void widen_by_16(const uint32_t *from, uint32_t *to, uint32_t count) {
  for (uint32_t i = 0u; i < 2u * count; ++i) {
    to[2u * i] = from[i] << 4 & UINT32_C(0xf0f0f0f0);
    to[2u * i + 1u] = from[i] & UINT32_C(0xf0f0f0f0);
  }
}

#endif

static void copy_words(const uint32_t *from, uint32_t *to, uint32_t count) {
#if TINSMITH_COREV
  uint32_t word;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[word], (%[from]), 4\n\t"
                   "addi %[n], %[n], -1\n\t"
                   "cv.sw %[word], (%[to]), 4"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [word] "=&r"(word), [n] "+&r"(count)
                   :
                   : "memory");
#else
  memcpy(to, from, 4u * count);
#endif
}

ALWAYS_INLINE uint32_t smaller(uint32_t lhs, uint32_t rhs) {
  return lhs < rhs ? lhs : rhs;
}

ALWAYS_INLINE void widen_share(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core,
                               void (*widen_sixteens)(const uint32_t *from, uint32_t *to, uint32_t count)) {
  const uint32_t *from = call->packed;
  uint32_t *to = call->widened;
  const uint32_t number = core.core * call->numbers_share;
  if (number < call->numbers) {
    copy_words(from + number, to + number, smaller(call->numbers - number, call->numbers_share));
  }
  const uint32_t sixteen = core.core * call->sixteens_share;
  if (sixteen < call->sixteens) {
    from += call->numbers + 2u * sixteen;
    to += call->numbers + 4u * sixteen;
    widen_sixteens(from, to, smaller(call->sixteens - sixteen, call->sixteens_share));
  }
}

void tinsmith_pulp_widen_s4(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, widen);
}

void tinsmith_pulp_widen_s4_by_16(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core) {
  widen_share(call, core, widen_by_16);
}
