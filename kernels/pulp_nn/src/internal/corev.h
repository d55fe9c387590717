// Instructions of CORE-V (CV32E40P v2) that the kernels use, each with plain C that computes the same elsewhere, and
// the words of a hardware loop. No compiler knows hardware loops or selects the SIMD instructions from C by itself.
#ifndef TINSMITH_KERNELS_PULP_NN_COREV_H_
#define TINSMITH_KERNELS_PULP_NN_COREV_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__riscv_xcvsimd) && defined(__riscv_xcvalu) && defined(__riscv_xcvmem)
#define TINSMITH_COREV 1

// Numbers of the registers, for the instruction words of hardware loops: no assembler knows their mnemonics.
__asm__(
    ".set .Lrn_ra, 1\n.set .Lrn_t0, 5\n.set .Lrn_t1, 6\n.set .Lrn_t2, 7\n.set .Lrn_s0, 8\n.set .Lrn_s1, 9\n"
    ".set .Lrn_a0, 10\n.set .Lrn_a1, 11\n.set .Lrn_a2, 12\n.set .Lrn_a3, 13\n.set .Lrn_a4, 14\n.set .Lrn_a5, 15\n"
    ".set .Lrn_a6, 16\n.set .Lrn_a7, 17\n.set .Lrn_s2, 18\n.set .Lrn_s3, 19\n.set .Lrn_s4, 20\n.set .Lrn_s5, 21\n"
    ".set .Lrn_s6, 22\n.set .Lrn_s7, 23\n.set .Lrn_s8, 24\n.set .Lrn_s9, 25\n.set .Lrn_s10, 26\n.set .Lrn_s11, 27\n"
    ".set .Lrn_t3, 28\n.set .Lrn_t4, 29\n.set .Lrn_t5, 30\n.set .Lrn_t6, 31\n");

// A line of assembly.
#define LINE(TEXT) TEXT "\n\t"

// A hardware loop inside one asm statement: what stands between COREV_LOOP and COREV_LOOP_END runs as often as register
// operand COUNT says, at least once, without a branch. Three 4-byte instructions or more, none of them a branch; label
// 9 is taken. cv.setup is opcode 0x2b, funct3 4, sub-operation 7, its distance counted in words.
#define COREV_LOOP(COUNT)                        \
  ".option push\n\t.balign 4\n\t.option norvc\n" \
  "8:\n\t.word (((9f-8b)>>2)<<20)|(.Lrn_" COUNT "<<15)|0x472b\n"
#define COREV_LOOP_END "\n9:\n\t.option pop\n"

// A loop around COREV_LOOPs, with two instructions or more behind the last one's end; labels 6 and 7 are taken.
#define COREV_OUTER_LOOP(COUNT)                  \
  ".option push\n\t.balign 4\n\t.option norvc\n" \
  "6:\n\t.word (((7f-6b)>>2)<<20)|(.Lrn_" COUNT "<<15)|0x47ab\n"
#define COREV_OUTER_LOOP_END "\n7:\n\t.option pop\n"

// Before a loop whose length must say whether it stays in the instruction cache: its body begins with a line.
#define COREV_BODY_AT_LINE ".option push\n\t.balign 16\n\t.option norvc\n\tnop\n\tnop\n\tnop\n\t.option pop\n\t"
#else
#define TINSMITH_COREV 0
#endif

// value / divisor for small divisors that are mostly powers of two, such as numbers of cores: dividing takes 30 cycles.
static inline uint32_t quotient(uint32_t value, uint32_t divisor) {
  while ((divisor & 1u) == 0u) {
    value >>= 1;
    divisor >>= 1;
  }
  return divisor == 1u ? value : value / divisor;
}

static inline uint32_t load_word(const void *address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

static inline void store_word(void *address, uint32_t word) {
  memcpy(address, &word, sizeof word);
}

// Byte `lane` of a word, as int8 or as uint8.
static inline int32_t signed_byte(uint32_t word, uint32_t lane) {
  return (int8_t)(word >> (8u * lane));
}

static inline int32_t unsigned_byte(uint32_t word, uint32_t lane) {
  return (uint8_t)(word >> (8u * lane));
}

// acc + sum of x[i] * w[i] over four bytes; w is signed, x as is_signed says. Wraps.
static inline int32_t dot4(uint32_t x, uint32_t w, int32_t acc, bool is_signed) {
#if TINSMITH_COREV
  if (is_signed) {
    __asm__("cv.sdotsp.b %0, %1, %2" : "+r"(acc) : "r"(x), "r"(w));
  } else {
    __asm__("cv.sdotusp.b %0, %1, %2" : "+r"(acc) : "r"(x), "r"(w));
  }
  return acc;
#else
  uint32_t sum = (uint32_t)acc;
  for (uint32_t i = 0u; i < 4u; ++i) {
    sum += (uint32_t)((is_signed ? signed_byte(x, i) : unsigned_byte(x, i)) * signed_byte(w, i));
  }
  return (int32_t)sum;
#endif
}

// value clamped to [-128, 127].
static inline int32_t clip_s8(int32_t value) {
#if TINSMITH_COREV
  int32_t clipped;
  __asm__("cv.clip %0, %1, 8" : "=r"(clipped) : "r"(value));
  return clipped;
#else
  return value < -128 ? -128 : value > 127 ? 127 : value;
#endif
}

// value clamped to [0, 255].
static inline int32_t clip_u8(int32_t value) {
#if TINSMITH_COREV
  int32_t clipped;
  __asm__("cv.clipu %0, %1, 9" : "=r"(clipped) : "r"(value));
  return clipped;
#else
  return value < 0 ? 0 : value > 255 ? 255 : value;
#endif
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

// (lhs + rhs + 2**(shift - 1)) >> shift, arithmetic; shift in [1, 31].
static inline int32_t add_round_shift(int32_t lhs, int32_t rhs, int32_t shift) {
#if TINSMITH_COREV
  __asm__("cv.addRNr %0, %1, %2" : "+r"(lhs) : "r"(rhs), "r"(shift));
  return lhs;
#else
  return (int32_t)((uint32_t)lhs + (uint32_t)rhs + (UINT32_C(1) << (shift - 1))) >> shift;
#endif
}

// (lhs + rhs + 1) >> 1, arithmetic; the sum must not overflow.
static inline int32_t add_round_halve(int32_t lhs, int32_t rhs) {
#if TINSMITH_COREV
  __asm__("cv.addRN %0, %0, %1, 1" : "+r"(lhs) : "r"(rhs));
  return lhs;
#else
  return (int32_t)((uint32_t)lhs + (uint32_t)rhs + 1u) >> 1;
#endif
}

// The low bytes of four values in one word, a lowest.
static inline uint32_t pack_bytes(int32_t a, int32_t b, int32_t c, int32_t d) {
#if TINSMITH_COREV
  uint32_t word;
  __asm__("cv.packlo.b %0, %2, %1\n\tcv.packhi.b %0, %4, %3" : "=&r"(word) : "r"(a), "r"(b), "r"(c), "r"(d));
  return word;
#else
  return (uint32_t)(uint8_t)a | (uint32_t)(uint8_t)b << 8 | (uint32_t)(uint8_t)c << 16 | (uint32_t)(uint8_t)d << 24;
#endif
}

// The larger of each pair of bytes.
static inline uint32_t max_bytes(uint32_t lhs, uint32_t rhs, bool is_signed) {
#if TINSMITH_COREV
  if (is_signed) {
    __asm__("cv.max.b %0, %0, %1" : "+r"(lhs) : "r"(rhs));
  } else {
    __asm__("cv.maxu.b %0, %0, %1" : "+r"(lhs) : "r"(rhs));
  }
  return lhs;
#else
  uint32_t larger = 0u;
  for (uint32_t i = 0u; i < 4u; ++i) {
    const int32_t a = is_signed ? signed_byte(lhs, i) : unsigned_byte(lhs, i);
    const int32_t b = is_signed ? signed_byte(rhs, i) : unsigned_byte(rhs, i);
    larger |= (uint32_t)(uint8_t)(a > b ? a : b) << (8u * i);
  }
  return larger;
#endif
}

// Each byte of a word clamped to [min, max], both in the bytes' range.
static inline uint32_t clamp_bytes(uint32_t word, int32_t min, int32_t max, bool is_signed) {
#if TINSMITH_COREV
  if (is_signed) {
    __asm__("cv.max.sc.b %0, %0, %1\n\tcv.min.sc.b %0, %0, %2" : "+r"(word) : "r"(min), "r"(max));
  } else {
    __asm__("cv.maxu.sc.b %0, %0, %1\n\tcv.minu.sc.b %0, %0, %2" : "+r"(word) : "r"(min), "r"(max));
  }
  return word;
#else
  uint32_t clamped = 0u;
  for (uint32_t i = 0u; i < 4u; ++i) {
    const int32_t value = is_signed ? signed_byte(word, i) : unsigned_byte(word, i);
    const int32_t raised = value < min ? min : value;
    clamped |= (uint32_t)(uint8_t)(raised > max ? max : raised) << (8u * i);
  }
  return clamped;
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

// Fills bytes with a value.
static inline void fill_bytes(uint8_t *to, uint8_t value, uint32_t bytes) {
#if TINSMITH_COREV
  const uint32_t word = value * UINT32_C(0x01010101);
  for (; bytes != 0u && ((uintptr_t)to & 3u) != 0u; --bytes) {
    *to++ = value;
  }
  const uint32_t blocks = bytes / 12u;
  if (blocks != 0u) {
    __asm__ volatile(COREV_LOOP("%[n]")  //
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "cv.sw %[word], (%[to]), 4"  //
                     COREV_LOOP_END
                     : [to] "+&r"(to)
                     : [n] "r"(blocks), [word] "r"(word)
                     : "memory");
  }
  for (uint32_t i = 0u; i < bytes - 12u * blocks; ++i) {
    to[i] = value;
  }
#else
  memset(to, value, bytes);
#endif
}

#endif  // TINSMITH_KERNELS_PULP_NN_COREV_H_
