/* The fastest block loops of each CPU, used by string.c. `words` pointers are aligned to 4 bytes. */
#ifndef TINSMITH_BLOCK_H_
#define TINSMITH_BLOCK_H_

#include <stddef.h>
#include <stdint.h>

/* Bytes that may be read as words through a pointer to anything. */
typedef uint32_t __attribute__((may_alias)) word_t;
typedef struct __attribute__((packed, may_alias)) {
  uint32_t value;
} unaligned_word_t;

#define BLOCK_BYTES 32u

#if defined(__arm__) && __ARM_ARCH_ISA_THUMB >= 2
/* Eight words at a time by load and store multiple; bytes is a multiple of 32, above 0. */
static inline void copy_blocks(word_t **destination, const word_t **source, size_t bytes) {
  word_t *to = *destination;
  const word_t *from = *source;
  __asm__ volatile(
      "1:\n\t"
      "ldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "subs %[bytes], %[bytes], #32\n\t"
      "stmia %[to]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
      "bne 1b"
      : [to] "+r"(to), [from] "+r"(from), [bytes] "+r"(bytes)
      :
      : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "cc", "memory");
  *destination = to;
  *source = from;
}
#elif defined(__arm__)
/* The same for Armv6-M, whose LDM and STM know the lower registers only. */
static inline void copy_blocks(word_t **destination, const word_t **source, size_t bytes) {
  word_t *to = *destination;
  const word_t *from = *source;
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
  *destination = to;
  *source = from;
}
#else
static inline void copy_blocks(word_t **destination, const word_t **source, size_t bytes) {
  word_t *to = *destination;
  const word_t *from = *source;
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
  *destination = to;
  *source = from;
}
#endif

#endif  // TINSMITH_BLOCK_H_
