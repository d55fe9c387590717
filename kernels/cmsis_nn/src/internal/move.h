/* Copies forward by words or vectors: memmove() goes byte by byte where addresses differ by one. */
#ifndef TINSMITH_NN_INTERNAL_MOVE_H
#define TINSMITH_NN_INTERNAL_MOVE_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

/* `to` lies in front of `from`, or they do not overlap. */
#if TINSMITH_NN_MVE
#include "src/mve/copy.h"

static inline void tinsmith_move_forward(void *to, const void *from, int32_t bytes) {
  mve_copy(to, from, bytes);
}

#elif TINSMITH_NN_DSP
#include "src/internal/dsp.h"

static inline void tinsmith_move_forward(void *to, const void *from, int32_t bytes) {
  int8_t *output = to;
  const int8_t *input = from;
  TINSMITH_NO_UNROLL
  for (; bytes > 15; bytes -= 16) {
    const uint32_t first = tinsmith_load_word(input), second = tinsmith_load_word(input + 4);
    const uint32_t third = tinsmith_load_word(input + 8), fourth = tinsmith_load_word(input + 12);
    tinsmith_store_word(output, first);
    tinsmith_store_word(output + 4, second);
    tinsmith_store_word(output + 8, third);
    tinsmith_store_word(output + 12, fourth);
    input += 16;
    output += 16;
  }
  TINSMITH_NO_UNROLL
  for (; bytes > 0; --bytes) {
    *output++ = *input++;
  }
}

#else
#include <string.h>

static inline void tinsmith_move_forward(void *to, const void *from, int32_t bytes) {
  memmove(to, from, (size_t)bytes);
}
#endif

#endif /* TINSMITH_NN_INTERNAL_MOVE_H */
