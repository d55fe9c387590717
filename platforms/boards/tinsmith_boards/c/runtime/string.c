/* memcpy, memmove and memset by words and blocks.
 *
 * Copies are on the way of convolutions (rows into a patch buffer), short and long ones alike. Long ones go through
 * vectors (MVE), load and store multiple (Arm) or eight words a turn (RISC-V). Where addresses are odd, CPUs with
 * unaligned access use it, and the others (Cortex-M0, RISC-V) put words together from two aligned ones.
 * Compile with -ffreestanding, or the compiler replaces these loops with calls of themselves.
 */
#include <string.h>

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#include "block.h"

/* In front of loops of a few turns, each of which compilers would write out. */
#if defined(__clang__)
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#else
#define NOT_UNROLLED
#endif

#define WORD_BYTES sizeof(word_t)
#define WORD_MASK (WORD_BYTES - 1u)

#if !defined(__ARM_FEATURE_MVE)
static inline size_t is_odd(const void *address) {
  return (uintptr_t)address & WORD_MASK;
}
#endif

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

#elif defined(__ARM_FEATURE_UNALIGNED)

static inline void copy_short(uint8_t *to, const uint8_t *from, size_t bytes) {
  for (; bytes >= 4u; bytes -= 4u) {
    store_word(to, load_word(from));
    to += 4;
    from += 4;
  }
  if ((bytes & 2u) != 0u) {
    store_half(to, load_half(from));
    to += 2;
    from += 2;
  }
  if ((bytes & 1u) != 0u) {
    *to = *from;
  }
}

/* A function of its own, so that short copies need not save the registers of long ones. */
__attribute__((noinline)) static void copy_long(uint8_t *to, const uint8_t *from, size_t bytes) {
  /* Unaligned loads are cheap on real cores, unaligned stores less so. */
  NOT_UNROLLED
  for (; is_odd(to); --bytes) {
    *to++ = *from++;
  }
  if (bytes >= BLOCK_BYTES && !is_odd(from)) {
    copy_blocks(&to, &from, bytes & ~(size_t)BLOCK_MASK);
    bytes &= BLOCK_MASK;
  }
  for (; bytes >= BLOCK_BYTES / 2u; bytes -= BLOCK_BYTES / 2u) {
    const uint32_t a = load_word(from);
    const uint32_t b = load_word(from + 4);
    const uint32_t c = load_word(from + 8);
    const uint32_t d = load_word(from + 12);
    store_word(to, a);
    store_word(to + 4, b);
    store_word(to + 8, c);
    store_word(to + 12, d);
    to += 16;
    from += 16;
  }
  copy_short(to, from, bytes);
}

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes) {
  if (bytes >= BLOCK_BYTES) {
    copy_long(destination, source, bytes);
  } else {
    copy_short(destination, source, bytes);
  }
  return destination;
}

void *memset(void *destination, int value, size_t bytes) {
  uint8_t *to = destination;
  const uint32_t fill = (uint8_t)value * 0x01010101u;
  if (bytes >= BLOCK_BYTES) {
    for (; is_odd(to); --bytes) {
      *to++ = (uint8_t)fill;
    }
    for (; bytes >= 16u; bytes -= 16u) {
      store_word(to, fill);
      store_word(to + 4, fill);
      store_word(to + 8, fill);
      store_word(to + 12, fill);
      to += 16;
    }
  }
  for (; bytes >= 4u; bytes -= 4u) {
    store_word(to, fill);
    to += 4;
  }
  for (; bytes != 0u; --bytes) {
    *to++ = (uint8_t)fill;
  }
  return destination;
}

#else

#define SMALL_BYTES 8u

/* to is aligned, from is not: every word is made of the upper part of one and the lower part of the next. Only words
 * that hold a wanted byte are read. Returns the bytes still to do. */
static inline size_t copy_shifted(uint8_t **destination, const uint8_t **source, size_t bytes) {
  word_t *to = (word_t *)*destination;
  const size_t offset = is_odd(*source);
  const word_t *from = (const word_t *)(*source - offset);
  const uint32_t right = 8u * (uint32_t)offset;
  const uint32_t left = 32u - right;
  uint32_t low = *from++ >> right;
  for (; bytes >= 16u; bytes -= 16u) {
    const uint32_t a = from[0];
    const uint32_t b = from[1];
    to[0] = low | a << left;
    to[1] = a >> right | b << left;
    const uint32_t c = from[2];
    const uint32_t d = from[3];
    to[2] = b >> right | c << left;
    to[3] = c >> right | d << left;
    low = d >> right;
    from += 4;
    to += 4;
  }
  for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
    const uint32_t high = *from++;
    *to++ = low | high << left;
    low = high >> right;
  }
  *source = (const uint8_t *)(from - 1) + offset;
  *destination = (uint8_t *)to;
  return bytes;
}

/* Both are aligned. Returns the bytes still to do. */
static inline size_t copy_aligned(uint8_t **destination, const uint8_t **source, size_t bytes) {
  if (bytes >= BLOCK_BYTES) {
    copy_blocks(destination, source, bytes & ~(size_t)BLOCK_MASK);
    bytes &= BLOCK_MASK;
  }
  word_t *to = (word_t *)*destination;
  const word_t *from = (const word_t *)*source;
  for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
    *to++ = *from++;
  }
  *destination = (uint8_t *)to;
  *source = (const uint8_t *)from;
  return bytes;
}

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  if (bytes >= SMALL_BYTES) {
    for (; is_odd(to); --bytes) {
      *to++ = *from++;
    }
    bytes = is_odd(from) ? copy_shifted(&to, &from, bytes) : copy_aligned(&to, &from, bytes);
  }
  for (; bytes != 0u; --bytes) {
    *to++ = *from++;
  }
  return destination;
}

void *memset(void *destination, int value, size_t bytes) {
  uint8_t *to = destination;
  const uint32_t fill = (uint8_t)value * 0x01010101u;
  if (bytes >= SMALL_BYTES) {
    for (; is_odd(to); --bytes) {
      *to++ = (uint8_t)fill;
    }
    word_t *words = (word_t *)to;
    for (; bytes >= 4u * WORD_BYTES; bytes -= 4u * WORD_BYTES) {
      words[0] = fill;
      words[1] = fill;
      words[2] = fill;
      words[3] = fill;
      words += 4;
    }
    for (; bytes >= WORD_BYTES; bytes -= WORD_BYTES) {
      *words++ = fill;
    }
    to = (uint8_t *)words;
  }
  for (; bytes != 0u; --bytes) {
    *to++ = (uint8_t)fill;
  }
  return destination;
}

#endif

void *memmove(void *destination, const void *source, size_t bytes) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  /* As unsigned numbers one of the differences is huge unless the ranges overlap. */
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
