// Fully connected layers with weights of four bits.
#include "internal/halves.h"
#include "internal/linear_few_bits.h"

#define ARRANGED(SUFFIX, KIND)                                                                                 \
  void tinsmith_pulp_arranged_linear_s4##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    linear_few_bits(call, core, KIND);                                                                         \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)
