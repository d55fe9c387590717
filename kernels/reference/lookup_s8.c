// Functions of one int8 by their table.
#include "tinsmith/lookup.h"

void tinsmith_lookup_s8(int32_t elements, const int8_t *table, const int8_t *input, int8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = table[input[i] - INT8_MIN];
  }
}
