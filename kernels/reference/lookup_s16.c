// Functions of one int16 by straight lines between the values of their table.
#include "tinsmith/lookup.h"

#define STEP_BITS 7
#define HALF_STEP (1 << (STEP_BITS - 1))
#define MIDDLE 256

void tinsmith_lookup_s16(int32_t elements, const int16_t *table, const int16_t *input, int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    const int16_t *entry = table + MIDDLE + (input[i] >> STEP_BITS);
    const int32_t offset = input[i] & ((1 << STEP_BITS) - 1);
    const int16_t slope = (int16_t)(entry[1] - entry[0]);
    output[i] = (int16_t)(entry[0] + ((slope * offset + HALF_STEP) >> STEP_BITS));
  }
}
