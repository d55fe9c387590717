// What sums of two tensors share: a core's elements, TFLite's arithmetic, and bounds narrower than a byte's.
#ifndef TINSMITH_KERNELS_PULP_NN_ADD_H_
#define TINSMITH_KERNELS_PULP_NN_ADD_H_

#include "stage.h"
#include "tinsmith_pulp_nn.h"

#define ADD_LEFT_SHIFT 20

// A core's elements; none where count is 0.
typedef struct {
  const uint8_t *lhs, *rhs;
  uint8_t *output;
  uint32_t count;
} part_t;

static inline part_t part_of_add(const tinsmith_pulp_add_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t share = odd_words(quotient(layer->count + core.cores - 1u, core.cores));
  const uint32_t first = core.core * share;
  const uint32_t left = first < layer->count ? layer->count - first : 0u;
  return (part_t){(const uint8_t *)layer->lhs + first, (const uint8_t *)layer->rhs + first,
                  (uint8_t *)layer->output + first, left < share ? left : share};
}

// An input raised and scaled, in gemmlowp's two roundings.
ALWAYS_INLINE int32_t scale_input(int32_t value, int32_t multiplier, int32_t shift) {
  return scale_tflite(value * (1 << ADD_LEFT_SHIFT), multiplier, shift);
}

// The output element of a sum of two such inputs.
ALWAYS_INLINE int32_t finish_tflite_sum(const tinsmith_pulp_add_t *layer, int32_t sum) {
  const int32_t scaled = scale_tflite(sum, layer->output_multiplier, layer->output_shift);
  return clamp_to(scaled + layer->output_zero_point, layer->min, layer->max);
}

// The sum of a part by a layer's tables.
void add_by_tables(const tinsmith_pulp_add_t *layer, const part_t *part);

// Clamps the output of a part whose bytes are signed or not to a layer's bounds.
void clamp_part(const tinsmith_pulp_add_t *layer, const part_t *part, bool is_signed);

#endif  // TINSMITH_KERNELS_PULP_NN_ADD_H_
