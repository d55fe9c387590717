// Functions of one int16 by straight lines between the values of their table.
#include "interpolation_s16.h"
#include "tinsmith/lookup.h"

void tinsmith_lookup_s16(int32_t elements, const int16_t *table, const int16_t *input, int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = interpolated(table, input[i]);
  }
}
