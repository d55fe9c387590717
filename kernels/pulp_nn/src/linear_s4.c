// Fully connected layers with weights of four bits: four outputs at a time, a core takes blocks of four.
#include "internal/arranged.h"
#include "internal/stage.h"
#include "tinsmith_pulp_four_bits.h"

typedef tinsmith_pulp_linear_t layer_t;

// Bytes of a word of four columns: weights of two rows in each byte.
#define BLOCK_WORD_BYTES 8u

#if TINSMITH_COREV

// Nine instructions for 16 products, as with weights of bytes: a shift by lanes stands where a load did.
ALWAYS_INLINE void sums_of_halves(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  uint32_t x, pair, other, low;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[pair], (%[w]), 4\n\t"
                   "cv.lw %[x], (%[p]), 4\n\t"
                   "cv.lw %[other], (%[w]), 4\n\t"
                   "cv.sll.sci.b %[low], %[pair], 4\n\t"
                   "cv.sdotsp.b %[a1], %[x], %[pair]\n\t"
                   "cv.sdotsp.b %[a0], %[x], %[low]\n\t"
                   "cv.sll.sci.b %[low], %[other], 4\n\t"
                   "cv.sdotsp.b %[a3], %[x], %[other]\n\t"
                   "cv.sdotsp.b %[a2], %[x], %[low]"  //
                   COREV_LOOP_END
                   : [w] "+&r"(w), [p] "+&r"(p), [x] "=&r"(x), [pair] "=&r"(pair), [other] "=&r"(other),
                     [low] "=&r"(low), [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]), [a3] "+&r"(acc[3])
                   : [n] "r"(words)
                   : "memory");
}

#else

// acc[even] += 16 times the sum of the even row, acc[odd] += that of the even row and 16 times that of the odd one.
ALWAYS_INLINE void sums_of_halves(const int8_t *w, const uint8_t *p, uint32_t words, int32_t *acc) {
  for (uint32_t word = 0u; word < words; ++word) {
    for (uint32_t i = 0u; i < STAGE_CHANNELS; i += 2u) {
      const uint32_t pair = load_word(w + BLOCK_WORD_BYTES * word + 2u * i);
      const uint32_t x = load_word(p + 4u * word);
      acc[i] = corev_dot4(x, pair << 4 & UINT32_C(0xf0f0f0f0), acc[i], true);
      acc[i + 1u] = corev_dot4(x, pair, acc[i + 1u], true);
    }
  }
}

#endif

// acc: the sums of four rows with their biases.
ALWAYS_INLINE void block_sums(const layer_t *layer, uint32_t row, int32_t *acc) {
  const uint32_t words = layer->inputs / 4u;
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
    acc[i] = 0;
  }
  sums_of_halves(layer->weights + row / STAGE_CHANNELS * BLOCK_WORD_BYTES * words, layer->input, words, acc);
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; i += 2u) {
    acc[i] >>= 4;
    acc[i + 1u] = (acc[i + 1u] - acc[i]) >> 4;
  }
}

// A bias may be any number: the sum wraps.
ALWAYS_INLINE int32_t with_bias(const layer_t *layer, uint32_t row, int32_t sum) {
  return (int32_t)((uint32_t)sum + (uint32_t)stage_bias(&layer->stage, row));
}

ALWAYS_INLINE void rows(const layer_t *layer, uint32_t first, uint32_t end, tinsmith_pulp_stage_kind_t kind) {
  uint8_t *output = layer->output;
  int32_t acc[STAGE_CHANNELS];
  uint32_t row = first;
  for (; row + STAGE_CHANNELS <= end; row += STAGE_CHANNELS) {
    block_sums(layer, row, acc);
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
      acc[i] = with_bias(layer, row + i, acc[i]);
    }
    stage_store(&layer->stage, kind, row, acc, 1u, output + row, 0u);
  }
  if (row == end) {
    return;
  }
  block_sums(layer, row, acc);
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS - 1u; ++i) {
    if (row + i < end) {
      output[row + i] = (uint8_t)stage_element(&layer->stage, kind, row + i, with_bias(layer, row + i, acc[i]));
    }
  }
}

ALWAYS_INLINE void linear_s4(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core,
                             tinsmith_pulp_stage_kind_t kind) {
  const layer_t layer = linear_of(call, kind);
  const uint32_t blocks = (layer.outputs + STAGE_CHANNELS - 1u) / STAGE_CHANNELS;
  const uint32_t first = STAGE_CHANNELS * quotient(blocks * core.core, core.cores);
  const uint32_t end = STAGE_CHANNELS * quotient(blocks * (core.core + 1u), core.cores);
  if (first < end) {
    rows(&layer, first, end > layer.outputs ? layer.outputs : end, kind);
  }
}

#define ARRANGED(SUFFIX, KIND)                                                                                 \
  void tinsmith_pulp_arranged_linear_s4##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    linear_s4(call, core, KIND);                                                                               \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)
