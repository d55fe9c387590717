#include <stddef.h>

#include "tinsmith/diana.h"
#include "tinsmith_diana_digital.h"

// Of layers, by token: what to wait for.
static uint32_t numbers[TINSMITH_DIANA_TOKENS];

void tinsmith_diana_digital_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                  const int8_t *operand, int8_t *output, uint32_t token) {
  const tinsmith_diana_places_t places = {weights, input, operand, output};
  // Constants of a network lie at multiples of 4.
  numbers[token] = tinsmith_diana_start((const tinsmith_diana_record_t *)(const void *)layer, &places);
}

void tinsmith_diana_digital_joined_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                         const int8_t *operand, int8_t *output, uint32_t token) {
  const tinsmith_diana_places_t places = {weights, input, operand, output};
  numbers[token] = tinsmith_diana_start_joined((const tinsmith_diana_record_t *)(const void *)layer, &places);
}

void tinsmith_diana_digital_banks_start(const int8_t *layer, const int8_t *input, const int8_t *operand, int8_t *output,
                                        uint32_t banks, uint32_t token) {
  for (uint32_t offset = 0u; offset != banks * TINSMITH_DIANA_BANK_BYTES; offset += TINSMITH_DIANA_BANK_BYTES) {
    tinsmith_diana_digital_start(layer, NULL, input + offset, operand + offset, output + offset, token);
  }
}

void tinsmith_diana_digital_wait(uint32_t token) {
  tinsmith_diana_wait(numbers[token]);
}
