// Weights of few bits become bytes: a core's share of words that are copied and of those that are widened.
#ifndef TINSMITH_PULP_INTERNAL_WIDEN_H_
#define TINSMITH_PULP_INTERNAL_WIDEN_H_

#include "corev.h"
#include "tinsmith_pulp_few_bits.h"

#if !TINSMITH_COREV

// Numbers of few bits in each byte's lowest ones, the others 0, with their signs. sign: the highest bit of each.
ALWAYS_INLINE uint32_t with_signs(uint32_t fields, uint32_t sign) {
  const uint32_t above_0 = ((fields ^ sign) | UINT32_C(0x80808080)) - sign;
  return above_0 ^ UINT32_C(0x80808080);
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

// words: that sixteen weights are before they are bytes.
ALWAYS_INLINE void widen_share(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core, uint32_t words,
                               void (*widen_sixteens)(const uint32_t *from, uint32_t *to, uint32_t count)) {
  const uint32_t *from = call->packed;
  uint32_t *to = call->widened;
  const uint32_t number = core.core * call->numbers_share;
  if (number < call->numbers) {
    copy_words(from + number, to + number, smaller(call->numbers - number, call->numbers_share));
  }
  const uint32_t sixteen = core.core * call->sixteens_share;
  if (sixteen < call->sixteens) {
    from += call->numbers + words * sixteen;
    to += call->numbers + 4u * sixteen;
    widen_sixteens(from, to, smaller(call->sixteens - sixteen, call->sixteens_share));
  }
}

#endif /* TINSMITH_PULP_INTERNAL_WIDEN_H_ */
