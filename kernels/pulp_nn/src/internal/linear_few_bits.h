// Fully connected layers with weights of few bits: four outputs at a time, a core takes blocks of four. A file that has
// what fields.h needs includes the rest here.
#ifndef TINSMITH_PULP_INTERNAL_LINEAR_FEW_BITS_H_
#define TINSMITH_PULP_INTERNAL_LINEAR_FEW_BITS_H_

#include "arranged.h"
#include "fields.h"
#include "stage.h"
#include "tinsmith_pulp_few_bits.h"

typedef tinsmith_pulp_linear_t layer_t;

// acc: the sums of four rows. Bytes with row i highest hold the rows before it, too; these are what bytes with row i -
// 1 highest hold, which were moved by BITS more.
ALWAYS_INLINE void block_sums(const layer_t *layer, uint32_t row, int32_t *acc) {
  const uint32_t words = layer->inputs / 4u;
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
    acc[i] = 0;
  }
  sums_of_fields(layer->weights + row / STAGE_CHANNELS * BLOCK_WORD_BYTES * words, layer->input, words, acc);
  int32_t below = 0;
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
    const int32_t all = acc[i];
    acc[i] = (all - (i % ROWS == 0u ? 0 : below)) >> (8 - BITS);
    below = all >> BITS;
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

ALWAYS_INLINE void linear_few_bits(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core,
                                   tinsmith_pulp_stage_kind_t kind) {
  const layer_t layer = linear_of(call, kind);
  const uint32_t blocks = (layer.outputs + STAGE_CHANNELS - 1u) / STAGE_CHANNELS;
  const uint32_t first = STAGE_CHANNELS * quotient(blocks * core.core, core.cores);
  const uint32_t end = STAGE_CHANNELS * quotient(blocks * (core.core + 1u), core.cores);
  if (first < end) {
    rows(&layer, first, end > layer.outputs ? layer.outputs : end, kind);
  }
}

#endif /* TINSMITH_PULP_INTERNAL_LINEAR_FEW_BITS_H_ */
