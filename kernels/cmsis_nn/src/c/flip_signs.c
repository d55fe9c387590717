/* uint8 as int8 of the same scale and back (tinsmith_nn_rescaling.h), for plain C and the DSP extension. */

#include <string.h>

#include "include/tinsmith_nn_rescaling.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

void tinsmith_flip_signs(int32_t elements, const void *input, void *output) {
  const uint8_t *from = input;
  uint8_t *to = output;
#if defined(__ARM_FEATURE_UNALIGNED)
  TINSMITH_NO_UNROLL
  for (; elements > 7; elements -= 8) {
    uint32_t first, second;
    memcpy(&first, from, sizeof first);
    memcpy(&second, from + 4, sizeof second);
    first ^= 0x80808080u;
    second ^= 0x80808080u;
    memcpy(to, &first, sizeof first);
    memcpy(to + 4, &second, sizeof second);
    from += 8;
    to += 8;
  }
#endif
  TINSMITH_NO_UNROLL
  for (; elements > 0; --elements) {
    *to++ = *from++ ^ 0x80u;
  }
}

#endif /* !TINSMITH_NN_MVE */
