#include <stdbool.h>
#include <stddef.h>

#include "tinsmith_diana_analog_layer.h"

// Words of a record behind its instruction.
enum { kInputRows = 16, kInputBanks = 17, kOutputRows = 18, kOutputBanks = 19, kOutputOffset = 20 };

// The layer that was started last, and where its output goes.
static struct {
  bool is_under_way;
  uint32_t rows, banks;
  const int8_t *image;
  int8_t *output;
} latest;

// Of layers, by token: how many had been started before.
static uint32_t numbers[TINSMITH_DIANA_ANALOG_TOKENS];
static uint32_t started;

// Alignment and reach are the program's engine's, to which its verifier and the layer's rules hold all places.
static void need(tinsmith_diana_status_t status) {
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

// A copy waits for the layer before it.
static void end_latest(void) {
  if (latest.is_under_way) {
    uint32_t copy;
    need(tinsmith_diana_analog_copy_out(latest.output, latest.image, latest.rows, latest.banks, &copy));
    tinsmith_diana_analog_wait(copy);
    latest.is_under_way = false;
  }
}

void tinsmith_diana_analog_layer_start(const int8_t *layer, const int8_t *weights, const int8_t *scales,
                                       const int8_t *input, int8_t *images, int8_t *output, uint32_t token) {
  // Constants of a network lie at multiples of 4.
  const uint32_t *const words = (const uint32_t *)(const void *)layer;
  int8_t *const image = images + words[kOutputOffset];
  uint32_t copy;
  end_latest();
  need(tinsmith_diana_analog_copy_in(images, input, words[kInputRows], words[kInputBanks], &copy));
  const tinsmith_diana_analog_places_t places = {weights, scales, images, NULL, NULL, image};
  tinsmith_diana_analog_start((const tinsmith_diana_analog_record_t *)(const void *)layer, &places);
  latest.rows = words[kOutputRows];
  latest.banks = words[kOutputBanks];
  latest.image = image;
  latest.output = output;
  latest.is_under_way = true;
  numbers[token] = started++;
}

void tinsmith_diana_analog_layer_wait(uint32_t token) {
  if (numbers[token] == started - 1u) {
    end_latest();
  }
}
