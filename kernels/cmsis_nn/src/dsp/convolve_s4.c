/* Convolutions of weights of four bits for the DSP extension whose windows are pixels: some channels at a time, whose
 * weights are widened to bytes once for all pixels (internal/convolve_s4.h).
 */
#include "src/internal/convolve_s4.h"

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/convolve.h"
#include "src/internal/implementation.h"
#include "src/internal/nibbles.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

/** Four weights in the lower half of `bytes` as bytes: each nibble from [0, 16) to [-8, 8). */
static inline uint32_t widen_four(uint32_t bytes) {
  uint32_t spread; /* byte 0, byte 1 in the bottom of each lane */
  __asm__("pkhbt %0, %1, %1, lsl #8" : "=r"(spread) : "r"(bytes));
  const uint32_t nibbles = (spread & 0x000f000f) | ((spread << 4) & 0x0f000f00);
  const uint32_t signs = 0x08080808;
  return (uint32_t)__ssub8((int8x4_t)(nibbles ^ signs), (int8x4_t)signs);
}

static void widen(const int8_t *nibbles, int32_t count, int8_t *widened) {
  TINSMITH_NO_UNROLL
  for (; count > 7; count -= 8) {
    const uint32_t eight = tinsmith_load_word(nibbles);
    tinsmith_store_word(widened, widen_four(eight));
    tinsmith_store_word(widened + 4, widen_four(eight >> 16));
    nibbles += 4;
    widened += 8;
  }
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    widened[i] = (int8_t)tinsmith_nibble(nibbles, i);
  }
}

void tinsmith_convolve_pixels_widened_s4(const cmsis_nn_conv_params *params,
                                         const cmsis_nn_per_channel_quant_params *quant,
                                         const cmsis_nn_dims *input_dims, const int8_t *input,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *bias,
                                         const cmsis_nn_dims *output_dims, int8_t *output) {
  uint32_t columns[kWidenedBytesDsp / sizeof(uint32_t)]; /* two of int16, as deep as four rows of bytes */
  uint32_t widened[kWidenedBytesDsp / sizeof(uint32_t)];
  const int32_t depth = filter_dims->c;
  const int32_t at_once = kWidenedBytesDsp / depth & ~1; /* even, so that they begin and end with whole bytes */
  cmsis_nn_per_channel_quant_params part = *quant;
  tinsmith_convolution_layer layer =
      tinsmith_convolution_layer_of(params, &part, input_dims, input, filter_dims, NULL, bias, output_dims);
  layer.filter = (const int8_t *)widened; /* not handed over above: GCC would take it for read there */
  for (int32_t left = output_dims->c; left > 0; left -= layer.channels) {
    layer.channels = left < at_once ? left : at_once;
    widen(filter, layer.channels * depth, (int8_t *)widened);
    tinsmith_convolve_columns(&layer, columns, output);
    filter += layer.channels * depth / 2;
    part.multiplier += layer.channels;
    part.shift += layer.channels;
    layer.bias = layer.bias == NULL ? NULL : layer.bias + layer.channels;
    output += layer.channels;
  }
}

#endif /* TINSMITH_NN_DSP */
