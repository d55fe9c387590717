// Element by element: TFLite's sum of two int8 tensors.
#include "include/tinsmith_pulp_nn.h"
#include "src/internal/stage.h"

#define LEFT_SHIFT 20

// gemmlowp's two roundings for shifts of 0 and more; the compiler moves the choice out of the loops.
ALWAYS_INLINE int32_t scale(int32_t value, uint32_t doubled_multiplier, int32_t shift, int32_t sign_mask) {
  const int32_t high = high_product(value, doubled_multiplier);
  const uint32_t low = (uint32_t)value * doubled_multiplier;
  const int32_t rounded = (int32_t)((uint32_t)high + (low >> 31));
  // Without a shift there is no tie to move away from zero.
  const int32_t moved = (int32_t)((uint32_t)rounded + (uint32_t)(value >> 31 & sign_mask));
  const int32_t half = (int32_t)((UINT32_C(1) << shift) >> 1);
  return (int32_t)((uint32_t)moved + (uint32_t)half) >> shift;
}

void tinsmith_pulp_add(const tinsmith_pulp_add_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t first = (uint32_t)((uint64_t)layer->count * core.core / core.cores);
  const uint32_t end = (uint32_t)((uint64_t)layer->count * (core.core + 1u) / core.cores);
  const uint32_t lhs_multiplier = (uint32_t)layer->lhs_multiplier << 1;
  const uint32_t rhs_multiplier = (uint32_t)layer->rhs_multiplier << 1;
  const uint32_t multiplier = (uint32_t)layer->output_multiplier << 1;
  const int32_t lhs_mask = layer->lhs_shift > 0 ? -1 : 0;
  const int32_t rhs_mask = layer->rhs_shift > 0 ? -1 : 0;
  const int32_t mask = layer->output_shift > 0 ? -1 : 0;
  for (uint32_t i = first; i < end; ++i) {
    const int32_t lhs = (layer->lhs[i] - layer->lhs_zero_point) * (1 << LEFT_SHIFT);
    const int32_t rhs = (layer->rhs[i] - layer->rhs_zero_point) * (1 << LEFT_SHIFT);
    const int32_t sum =
        scale(lhs, lhs_multiplier, layer->lhs_shift, lhs_mask) + scale(rhs, rhs_multiplier, layer->rhs_shift, rhs_mask);
    const int32_t value = scale(sum, multiplier, layer->output_shift, mask) + layer->output_zero_point;
    const int32_t raised = value < layer->min ? layer->min : value;
    layer->output[i] = (int8_t)(raised > layer->max ? layer->max : raised);
  }
}
