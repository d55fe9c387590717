// From a layer's record and array to the kernels' records, which each core makes on its own stack.
#include "internal/arranged.h"

#include <stddef.h>

#include "tinsmith_pulp_arranged.h"
#include "tinsmith_pulp_nn.h"
// SUFFIX: of the names of this header; TYPED: of the kernels'.
#define ARRANGED(SUFFIX, KIND, TYPED)                                                                       \
  void tinsmith_pulp_arranged_conv2d##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    const tinsmith_pulp_conv2d_t layer = conv2d_of(call, KIND);                                             \
    tinsmith_pulp_conv2d_packed_##TYPED(&layer, core);                                                      \
  }                                                                                                         \
  void tinsmith_pulp_arranged_linear##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    const tinsmith_pulp_linear_t layer = linear_of(call, KIND);                                             \
    tinsmith_pulp_linear_packed_##TYPED(&layer, core);                                                      \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8, tflite_s8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8, scale_s8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8, scale_high_s8)
