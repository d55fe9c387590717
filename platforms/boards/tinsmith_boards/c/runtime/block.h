/* Loads, stores and the fastest aligned block copy of each CPU, used by string.c. */
#ifndef TINSMITH_BLOCK_H_
#define TINSMITH_BLOCK_H_

#include <stddef.h>
#include <stdint.h>

/* Words and half words that may alias anything; the packed ones may lie at any address. */
typedef uint32_t __attribute__((may_alias)) word_t;
typedef struct __attribute__((packed, may_alias)) {
  uint32_t value;
} unaligned_word_t;
typedef struct __attribute__((packed, may_alias)) {
  uint16_t value;
} unaligned_half_t;

static inline uint32_t load_word(const uint8_t *from) {
  return ((const unaligned_word_t *)from)->value;
}

static inline void store_word(uint8_t *to, uint32_t value) {
  ((unaligned_word_t *)to)->value = value;
}

static inline uint16_t load_half(const uint8_t *from) {
  return ((const unaligned_half_t *)from)->value;
}

static inline void store_half(uint8_t *to, uint16_t value) {
  ((unaligned_half_t *)to)->value = value;
}

#define BLOCK_BYTES 32u
#define BLOCK_MASK (BLOCK_BYTES - 1u)

#if defined(__arm__) && __ARM_ARCH_ISA_THUMB >= 2
/* Eight words at a time by load and store multiple. Both pointers are aligned and move on; bytes is a multiple of
 * BLOCK_BYTES, above 0. */
static inline void copy_blocks(uint8_t **destination, const uint8_t **source, size_t bytes) {
  word_t *to = (word_t *)*destination;
  const word_t *from = (const word_t *)*source;
  __asm__ volatile(
      "1:\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "subs %[bytes], %[bytes], #32\n\t"
      "stmia %[to]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "bne 1b"
      : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)
      :
      : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "cc", "memory");
  *destination = (uint8_t *)to;
  *source = (const uint8_t *)from;
}
#elif defined(__arm__)
/* The same for Armv6-M, whose LDM and STM know the lower registers only. */
static inline void copy_blocks(uint8_t **destination, const uint8_t **source, size_t bytes) {
  word_t *to = (word_t *)*destination;
  const word_t *from = (const word_t *)*source;
  __asm__ volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6}\n\t"
      "stmia %[to]!, {r3, r4, r5, r6}\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6}\n\t"
      "stmia %[to]!, {r3, r4, r5, r6}\n\t"
      "subs %[bytes], %[bytes], #32\n\t"
      "bne 1b"
      : [to] "+l"(to), [from] "+l"(from), [bytes] "+l"(bytes)
      :
      : "r3", "r4", "r5", "r6", "cc", "memory");
  *destination = (uint8_t *)to;
  *source = (const uint8_t *)from;
}
#else
static inline void copy_blocks(uint8_t **destination, const uint8_t **source, size_t bytes) {
  word_t *to = (word_t *)*destination;
  const word_t *from = (const word_t *)*source;
  const word_t *const end = from + bytes / sizeof(word_t);
  while (from != end) {
    const uint32_t a = from[0];
    const uint32_t b = from[1];
    const uint32_t c = from[2];
    const uint32_t d = from[3];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
    const uint32_t e = from[4];
    const uint32_t f = from[5];
    const uint32_t g = from[6];
    const uint32_t h = from[7];
    to[4] = e;
    to[5] = f;
    to[6] = g;
    to[7] = h;
    from += BLOCK_BYTES / sizeof(word_t);
    to += BLOCK_BYTES / sizeof(word_t);
  }
  *destination = (uint8_t *)to;
  *source = (const uint8_t *)from;
}
#endif

#endif  // TINSMITH_BLOCK_H_
