// Fully connected layers with weights of four bits: four outputs at a time, a core takes blocks of four.
#include "internal/arranged.h"
#include "internal/halves.h"
#include "internal/stage.h"
#include "tinsmith_pulp_four_bits.h"

typedef tinsmith_pulp_linear_t layer_t;

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
