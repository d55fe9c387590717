/* Copies and fills: of few bytes without a call, by vectors or words. */
#ifndef TINSMITH_NN_INTERNAL_SHORT_COPY_H
#define TINSMITH_NN_INTERNAL_SHORT_COPY_H

#include <stdint.h>
#include <string.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE
#include "src/mve/copy.h"
#endif

/** Copy `count` bytes, >= 0; returns the end of what is written. `to` lies in front of `from`, or they do not overlap.
 */
static inline int8_t *tinsmith_copy_short(int8_t *to, const int8_t *from, int32_t count) {
#if TINSMITH_NN_MVE
  mve_copy(to, from, count);
  return to + count;
#else
  TINSMITH_NO_UNROLL
  for (; count >= 4; count -= 4) { /* of CPUs that read words anywhere; of others four bytes */
    uint32_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
    from += sizeof word;
    to += sizeof word;
  }
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    *to++ = *from++;
  }
  return to;
#endif
}

/** Set `count` bytes, >= 0; returns their end. */
static inline int8_t *tinsmith_fill_short(int8_t *to, int8_t value, int32_t count) {
#if TINSMITH_NN_MVE
  mve_fill(to, value, count);
  return to + count;
#else
  const uint32_t word = (uint8_t)value * UINT32_C(0x01010101);
  TINSMITH_NO_UNROLL
  for (; count >= 4; count -= 4) {
    memcpy(to, &word, sizeof word);
    to += sizeof word;
  }
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    *to++ = value;
  }
  return to;
#endif
}

/** The same of so many bytes that a call does not count. */
static inline void tinsmith_copy_many(void *to, const void *from, int32_t count) {
#if TINSMITH_NN_MVE
  mve_copy(to, from, count);
#else
  memcpy(to, from, (size_t)count);
#endif
}

static inline void tinsmith_clear_many(void *to, int32_t count) {
#if TINSMITH_NN_MVE
  mve_fill(to, 0, count);
#else
  memset(to, 0, (size_t)count);
#endif
}

#endif /* TINSMITH_NN_INTERNAL_SHORT_COPY_H */
