#include "thresholds.h"

void thresholds_relu_s8(int32_t count, int32_t least, int32_t zero, const int8_t *input, int8_t *output) {
  for (int32_t i = 0; i < count; ++i) {
    output[i] = input[i] >= least ? input[i] : (int8_t)zero;
  }
}
