/* memcpy, memmove and memset by words and blocks, and the names that Arm compilers call them by.
 *
 * Copies are on the way of convolutions (rows into a patch buffer), so bytes go through vectors (MVE), load and
 * store multiple (Thumb-2) or eight words a turn; odd alignment is handled by unaligned loads where the CPU has
 * them and byte by byte where it has not (Cortex-M0, RISC-V). Compile with -ffreestanding: otherwise the compiler
 * recognizes these loops and replaces them with calls of themselves.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#include "block.h"

#define WORD_MASK (sizeof(word_t) - 1u)
#define SMALL_BYTES 16u

#if defined(__ARM_FEATURE_MVE)

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  for (int32_t left = (int32_t)bytes; left > 0; left -= 16) {
    const mve_pred16_t tail = vctp8q((uint32_t)left);
    vstrbq_p_u8(to, vldrbq_z_u8(from, tail), tail);
    to += 16;
    from += 16;
  }
  return destination;
}

void *memset(void *destination, int value, size_t bytes) {
  uint8_t *to = destination;
  const uint8x16_t fill = vdupq_n_u8((uint8_t)value);
  for (int32_t left = (int32_t)bytes; left > 0; left -= 16) {
    vstrbq_p_u8(to, fill, vctp8q((uint32_t)left));
    to += 16;
  }
  return destination;
}

#else

/* source may be odd; what cannot be done by words is left to the caller. Returns the bytes still to do. */
static inline size_t copy_words(uint8_t **destination, const uint8_t **source, size_t bytes) {
  word_t *to = (word_t *)*destination;
  if (((uintptr_t)*source & WORD_MASK) == 0u) {
    const word_t *from = (const word_t *)*source;
    if (bytes >= BLOCK_BYTES) {
      copy_blocks(&to, &from, bytes & ~(size_t)(BLOCK_BYTES - 1u));
      bytes &= BLOCK_BYTES - 1u;
    }
    for (; bytes >= sizeof(word_t); bytes -= sizeof(word_t)) {
      *to++ = *from++;
    }
    *source = (const uint8_t *)from;
#if defined(__ARM_FEATURE_UNALIGNED)
  } else {
    const unaligned_word_t *from = (const unaligned_word_t *)*source;
    for (; bytes >= 4u * sizeof(word_t); bytes -= 4u * sizeof(word_t)) {
      to[0] = from[0].value;
      to[1] = from[1].value;
      to[2] = from[2].value;
      to[3] = from[3].value;
      to += 4;
      from += 4;
    }
    for (; bytes >= sizeof(word_t); bytes -= sizeof(word_t)) {
      *to++ = (from++)->value;
    }
    *source = (const uint8_t *)from;
#endif
  }
  *destination = (uint8_t *)to;
  return bytes;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  if (bytes >= SMALL_BYTES) {
    while (((uintptr_t)to & WORD_MASK) != 0u) {
      *to++ = *from++;
      --bytes;
    }
    bytes = copy_words(&to, &from, bytes);
  }
  while (bytes != 0u) {
    *to++ = *from++;
    --bytes;
  }
  return destination;
}

void *memset(void *destination, int value, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t byte = (uint8_t)value;
  if (bytes >= SMALL_BYTES) {
    while (((uintptr_t)to & WORD_MASK) != 0u) {
      *to++ = byte;
      --bytes;
    }
    const uint32_t fill = byte * 0x01010101u;
    word_t *words = (word_t *)to;
    for (; bytes >= 4u * sizeof(word_t); bytes -= 4u * sizeof(word_t)) {
      words[0] = fill;
      words[1] = fill;
      words[2] = fill;
      words[3] = fill;
      words += 4;
    }
    to = (uint8_t *)words;
  }
  while (bytes != 0u) {
    *to++ = byte;
    --bytes;
  }
  return destination;
}

#endif

void *memmove(void *destination, const void *source, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  /* As unsigned numbers the difference is huge when `to` lies below `from`: then forward copying is safe only if
   * nothing is read after it was overwritten, which holds byte by byte. */
  if ((uintptr_t)to - (uintptr_t)from >= bytes && (uintptr_t)from - (uintptr_t)to >= bytes) {
    return memcpy(destination, source, bytes);
  }
  if (to < from) {
    while (bytes != 0u) {
      *to++ = *from++;
      --bytes;
    }
  } else {
    while (bytes != 0u) {
      --bytes;
      to[bytes] = from[bytes];
    }
  }
  return destination;
}
