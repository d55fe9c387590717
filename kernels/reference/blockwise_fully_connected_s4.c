// Matrix of weights of four bits, whose blocks have multipliers, times vector of int8.
#include "four_bits.h"

static inline int32_t dot(const uint8_t *weights, int32_t first, int32_t count, const int8_t *input,
                          int32_t input_offset) {
  return dot_s4(weights, first, count, input, input_offset);
}

#include "blockwise_few_bits.h"

DEFINE_KERNELS(tinsmith_blockwise_fully_connected_s4)
