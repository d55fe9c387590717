// Quantized convolution of int8 by weights of four bits, depthwise or not.
#include "four_bits.h"
#include "tinsmith/four_bits.h"

// A single weight, as those of depthwise convolutions are, without the loop over bytes.
static inline int32_t dot(const uint8_t *weights, int32_t first, int32_t count, const int8_t *input,
                          int32_t input_offset) {
  if (count == 1) {
    return (*input + input_offset) * weight_s4(weights, first);
  }
  return dot_s4(weights, first, count, input, input_offset);
}

#include "conv2d_few_bits.h"

DEFINE_KERNELS(tinsmith_conv2d_s4, steps_of_conv2d)
DEFINE_KERNELS(tinsmith_depthwise_conv2d_s4, steps_of_depthwise)
