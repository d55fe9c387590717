// What the kernels share around CORE-V's instructions: bytes and words in memory, and small divisions.
#ifndef TINSMITH_KERNELS_PULP_NN_COREV_H_
#define TINSMITH_KERNELS_PULP_NN_COREV_H_

#include <string.h>

#include "tinsmith_corev.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// UNROLLED: loops over registers, since values of an array that stays in memory would cost a load and a store each.
// ROLLED: small code.
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLLED
#define ROLLED
#endif

// A line of assembly.
#define LINE(TEXT) TEXT "\n\t"

// Before a loop whose length must say whether it stays in the instruction cache: its body begins with a line.
#define COREV_BODY_AT_LINE ".option push\n\t.balign 16\n\t.option norvc\n\tnop\n\tnop\n\tnop\n\t.option pop\n\t"

// cv.ff1 and cv.fl1 (positions of the lowest and of the highest bit that is set), of an extension that compilers are
// not asked for; value is not 0.
static inline uint32_t lowest_bit(uint32_t value) {
#if TINSMITH_COREV
  uint32_t position;
  __asm__(".insn r 0x2b, 3, 0x21, %0, %1, zero" : "=r"(position) : "r"(value));
  return position;
#else
  return (uint32_t)__builtin_ctz(value);
#endif
}

static inline uint32_t highest_bit(uint32_t value) {
#if TINSMITH_COREV
  uint32_t position;
  __asm__(".insn r 0x2b, 3, 0x22, %0, %1, zero" : "=r"(position) : "r"(value));
  return position;
#else
  return 31u - (uint32_t)__builtin_clz(value);
#endif
}

// value / divisor for divisors that are mostly powers of two, such as numbers of cores: dividing takes 30 cycles.
static inline uint32_t quotient(uint32_t value, uint32_t divisor) {
  const uint32_t twos = lowest_bit(divisor);
  return divisor >> twos == 1u ? value >> twos : value / divisor;
}

// A share of bytes, made an odd number of words: cores that walk in step then begin in different banks of the memory.
static inline uint32_t odd_words(uint32_t bytes) {
  return ((bytes + 3u) & ~7u) + 4u;
}

static inline uint32_t load_word(const void *address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

static inline void store_word(void *address, uint32_t word) {
  memcpy(address, &word, sizeof word);
}

// High word of lhs * rhs.
static inline int32_t high_product(int32_t lhs, uint32_t rhs) {
#if TINSMITH_COREV
  int32_t high;
  __asm__("mulhsu %0, %1, %2" : "=r"(high) : "r"(lhs), "r"(rhs));
  return high;
#else
  return (int32_t)(((int64_t)lhs * (int64_t)rhs) >> 32);
#endif
}

// Copies bytes; from and to any address, on CORE-V a word of two memory words costs a cycle more.
static inline void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t bytes) {
#if TINSMITH_COREV
  const uint32_t pairs = bytes >> 3;
  if (pairs != 0u) {
    uint32_t a;
    uint32_t b;
    __asm__ volatile(COREV_LOOP("%[n]")  //
                     "cv.lw %[a], (%[from]), 4\n\t"
                     "cv.lw %[b], (%[from]), 4\n\t"
                     "cv.sw %[a], (%[to]), 4\n\t"
                     "cv.sw %[b], (%[to]), 4"  //
                     COREV_LOOP_END
                     : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b)
                     : [n] "r"(pairs)
                     : "memory");
  }
  if ((bytes & 4u) != 0u) {
    store_word(to, load_word(from));
    to += 4;
    from += 4;
  }
  for (uint32_t i = 0u; i < (bytes & 3u); ++i) {
    to[i] = from[i];
  }
#else
  memcpy(to, from, bytes);
#endif
}

#endif  // TINSMITH_KERNELS_PULP_NN_COREV_H_
