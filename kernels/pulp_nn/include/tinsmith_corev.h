/* CORE-V (CV32E40P v2) in C: hardware loops and the instructions that no compiler selects by itself, each with plain C
 * of the same meaning where the compiler's flags have no CORE-V (TINSMITH_COREV is 0). Needs nothing but this file;
 * clang 20 or newer with -march=rv32imc_xcvalu_xcvmac_xcvmem_xcvsimd, and -mno-relax.
 *
 * A hardware loop costs one instruction before it and nothing for each round. No assembler knows it, so its word is put
 * together here, from symbols that number the registers: the whole loop stands in one asm statement.
 *
 *   __asm__ volatile(COREV_LOOP("%[n]") "..." COREV_LOOP_END : [x] "+&r"(x) : [n] "r"(n) : "memory");
 *
 * What the core asks of a loop; the simulator stops where it is not so:
 *   - three instructions or more, of 4 bytes (the macros turn compression off), at most 4094;
 *   - no branch, jump, call, fence, mret or wfi in it, and none into it;
 *   - of two nested ones the outer ends two instructions or more behind the inner one; there is no third;
 *   - nothing sets a loop up that is running, such as a function's loop of the same level.
 * The body runs once even if the count is 0: test that before. The count's register may be changed in the loop.
 *
 * What to know when writing the body:
 *   - Operands that the loop changes, or writes before its last round has read all inputs, are "+&r" or "=&r".
 *   - A load's result costs a cycle more in the very next instruction. Misaligned words cost a cycle.
 *   - `cv.lw rd, (rs), 4` moves rs on by 4; `cv.lw rd, rs2(rs1)` adds two registers; so do the stores.
 *   - `.balign` stands before `.option norvc`: without compressed instructions it would fill half words with zeros,
 * which are no instruction.
 *   - Do not let the compiler use xcvbitmanip: LLVM 18 to 22 take cv.fl1 for a count of leading zeros.
 */
#ifndef TINSMITH_COREV_H_
#define TINSMITH_COREV_H_

#include <stdbool.h>
#include <stdint.h>

#if defined(__riscv_xcvsimd) && defined(__riscv_xcvalu) && defined(__riscv_xcvmem)
#define TINSMITH_COREV 1

/* Numbers of the registers. */
__asm__(
    ".set .Lrn_ra, 1\n.set .Lrn_t0, 5\n.set .Lrn_t1, 6\n.set .Lrn_t2, 7\n.set .Lrn_s0, 8\n.set .Lrn_s1, 9\n"
    ".set .Lrn_a0, 10\n.set .Lrn_a1, 11\n.set .Lrn_a2, 12\n.set .Lrn_a3, 13\n.set .Lrn_a4, 14\n.set .Lrn_a5, 15\n"
    ".set .Lrn_a6, 16\n.set .Lrn_a7, 17\n.set .Lrn_s2, 18\n.set .Lrn_s3, 19\n.set .Lrn_s4, 20\n.set .Lrn_s5, 21\n"
    ".set .Lrn_s6, 22\n.set .Lrn_s7, 23\n.set .Lrn_s8, 24\n.set .Lrn_s9, 25\n.set .Lrn_s10, 26\n.set .Lrn_s11, 27\n"
    ".set .Lrn_t3, 28\n.set .Lrn_t4, 29\n.set .Lrn_t5, 30\n.set .Lrn_t6, 31\n");

/* What stands between COREV_LOOP and COREV_LOOP_END runs as often as register operand COUNT says. Labels 8 and 9 are
 * taken. cv.setup is opcode 0x2b, funct3 4, sub-operation 7, its distance counted in words. */
#define COREV_LOOP(COUNT)                        \
  ".option push\n\t.balign 4\n\t.option norvc\n" \
  "8:\n\t.word (((9f-8b)>>2)<<20)|(.Lrn_" COUNT "<<15)|0x472b\n"
#define COREV_LOOP_END "\n9:\n\t.option pop\n"

/* A loop around COREV_LOOPs. Labels 6 and 7 are taken. */
#define COREV_OUTER_LOOP(COUNT)                  \
  ".option push\n\t.balign 4\n\t.option norvc\n" \
  "6:\n\t.word (((7f-6b)>>2)<<20)|(.Lrn_" COUNT "<<15)|0x47ab\n"
#define COREV_OUTER_LOOP_END "\n7:\n\t.option pop\n"

#else
#define TINSMITH_COREV 0
#endif

/* Byte `lane` of a word, as int8 or as uint8. */
static inline int32_t corev_signed_byte(uint32_t word, uint32_t lane) {
  return (int8_t)(word >> (8u * lane));
}

static inline int32_t corev_unsigned_byte(uint32_t word, uint32_t lane) {
  return (uint8_t)(word >> (8u * lane));
}

/* acc + sum of x[i] * w[i] over four bytes; w is signed, x as is_signed says. Wraps. */
static inline int32_t corev_dot4(uint32_t x, uint32_t w, int32_t acc, bool is_signed) {
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
    sum += (uint32_t)((is_signed ? corev_signed_byte(x, i) : corev_unsigned_byte(x, i)) * corev_signed_byte(w, i));
  }
  return (int32_t)sum;
#endif
}

/* value clamped to [-128, 127]. */
static inline int32_t corev_clip_s8(int32_t value) {
#if TINSMITH_COREV
  int32_t clipped;
  __asm__("cv.clip %0, %1, 8" : "=r"(clipped) : "r"(value));
  return clipped;
#else
  return value < -128 ? -128 : value > 127 ? 127 : value;
#endif
}

/* value clamped to [0, 255]. */
static inline int32_t corev_clip_u8(int32_t value) {
#if TINSMITH_COREV
  int32_t clipped;
  __asm__("cv.clipu %0, %1, 9" : "=r"(clipped) : "r"(value));
  return clipped;
#else
  return value < 0 ? 0 : value > 255 ? 255 : value;
#endif
}

/* (lhs + rhs + 2**(shift - 1)) >> shift, arithmetic; shift in [1, 31]. */
static inline int32_t corev_add_round_shift(int32_t lhs, int32_t rhs, int32_t shift) {
#if TINSMITH_COREV
  __asm__("cv.addRNr %0, %1, %2" : "+r"(lhs) : "r"(rhs), "r"(shift));
  return lhs;
#else
  return (int32_t)((uint32_t)lhs + (uint32_t)rhs + (UINT32_C(1) << (shift - 1))) >> shift;
#endif
}

/* (lhs + rhs + 1) >> 1, arithmetic; the sum must not overflow. */
static inline int32_t corev_add_round_halve(int32_t lhs, int32_t rhs) {
#if TINSMITH_COREV
  __asm__("cv.addRN %0, %0, %1, 1" : "+r"(lhs) : "r"(rhs));
  return lhs;
#else
  return (int32_t)((uint32_t)lhs + (uint32_t)rhs + 1u) >> 1;
#endif
}

/* The low bytes of four values in one word, a lowest. */
static inline uint32_t corev_pack_bytes(int32_t a, int32_t b, int32_t c, int32_t d) {
#if TINSMITH_COREV
  uint32_t word;
  __asm__("cv.packlo.b %0, %2, %1\n\tcv.packhi.b %0, %4, %3" : "=&r"(word) : "r"(a), "r"(b), "r"(c), "r"(d));
  return word;
#else
  return (uint32_t)(uint8_t)a | (uint32_t)(uint8_t)b << 8 | (uint32_t)(uint8_t)c << 16 | (uint32_t)(uint8_t)d << 24;
#endif
}

/* The larger of each pair of bytes. */
static inline uint32_t corev_max_bytes(uint32_t lhs, uint32_t rhs, bool is_signed) {
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
    const int32_t a = is_signed ? corev_signed_byte(lhs, i) : corev_unsigned_byte(lhs, i);
    const int32_t b = is_signed ? corev_signed_byte(rhs, i) : corev_unsigned_byte(rhs, i);
    larger |= (uint32_t)(uint8_t)(a > b ? a : b) << (8u * i);
  }
  return larger;
#endif
}

/* Each byte of a word clamped to [min, max], both in the bytes' range. */
static inline uint32_t corev_clamp_bytes(uint32_t word, int32_t min, int32_t max, bool is_signed) {
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
    const int32_t value = is_signed ? corev_signed_byte(word, i) : corev_unsigned_byte(word, i);
    const int32_t raised = value < min ? min : value;
    clamped |= (uint32_t)(uint8_t)(raised > max ? max : raised) << (8u * i);
  }
  return clamped;
#endif
}

#endif  // TINSMITH_COREV_H_
