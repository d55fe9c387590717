/* uint8 as int8 of the same scale and back (tinsmith_nn_rescaling.h) on MVE. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_rescaling.h"
#include "src/mve/requantize.h"

void tinsmith_flip_signs(int32_t elements, const void *input, void *output) {
  const uint8_t *from = input;
  uint8_t *to = output;
  const uint8x16_t sign = vdupq_n_u8(0x80);
  for (int32_t left = elements; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    vstrbq_p_u8(to, veorq_u8(vldrbq_z_u8(from, p), sign), p);
    from += kByteLanes;
    to += kByteLanes;
  }
}

#endif /* TINSMITH_NN_MVE */
