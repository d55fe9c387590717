// Quantized convolution of int8 by weights of two bits, depthwise or not.
#include "tinsmith/two_bits.h"
#include "two_bits.h"

static inline int32_t dot(const uint8_t *weights, int32_t first, int32_t count, const int8_t *input,
                          int32_t input_offset) {
  return dot_s2(weights, first, count, input, input_offset);
}

#include "conv2d_few_bits.h"

DEFINE_KERNELS(tinsmith_conv2d_s2, steps_of_conv2d)
DEFINE_KERNELS(tinsmith_depthwise_conv2d_s2, steps_of_depthwise)
