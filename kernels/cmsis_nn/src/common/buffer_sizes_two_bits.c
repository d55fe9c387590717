/* Scratch of functions on weights of two bits (tinsmith_nn_two_bits.h). */

#include "include/tinsmith_nn_two_bits.h"

enum { kWeightsOfVector = 64, kChannelsC = 16, kGroupC = 4, kChannelsMve = 12, kDepthBlockMve = 16 };

/* Each a byte, in whole vectors of weights. */
int32_t tinsmith_packed_s2_get_weights_size(int32_t count) {
  return (count + kWeightsOfVector - 1) / kWeightsOfVector * kWeightsOfVector;
}

int32_t tinsmith_fully_connected_packed_s2_get_buffer_size_c(const cmsis_nn_dims *filter_dims) {
  const int32_t groups = (filter_dims->c + kGroupC - 1) / kGroupC * kGroupC;
  const int32_t channels = groups < kChannelsC ? groups : kChannelsC;
  return tinsmith_packed_s2_get_weights_size(channels * filter_dims->n);
}

int32_t tinsmith_fully_connected_packed_s2_get_buffer_size_mve(const cmsis_nn_dims *filter_dims) {
  const int32_t channels = filter_dims->c < kChannelsMve ? filter_dims->c : kChannelsMve;
  const int32_t depth = (filter_dims->n + kDepthBlockMve - 1) / kDepthBlockMve * kDepthBlockMve;
  return tinsmith_packed_s2_get_weights_size(channels * depth);
}
