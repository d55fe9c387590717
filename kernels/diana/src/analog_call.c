#include <stdbool.h>
#include <stddef.h>

#include "tinsmith_diana_analog_layer.h"
#include "words.h"

// Words of a record behind its instruction.
enum { kInputRows = 16, kInputBanks = 17, kOutputRows = 18, kOutputBanks = 19, kOutputOffset = 20, kIsNarrow = 21 };

// A copy takes so many bytes of a row to each bank.
#define LANES 16u

// The ends of 7 bits.
#define LEAST (-64)
#define MOST 63

// The layer that was started last, and where its output goes.
static struct {
  bool is_under_way, is_narrow;
  uint32_t rows, banks;
  const int8_t *image;
  int8_t *output;
} latest;

// Of layers whose images stay in the accelerators' memory, and of copies alone, by token: what to wait for.
static uint32_t awaited[TINSMITH_DIANA_ANALOG_TOKENS];

// Of other layers, by token: how many had been started before.
static uint32_t numbers[TINSMITH_DIANA_ANALOG_TOKENS];
static uint32_t started;

// Alignment and reach are the program's engine's, to which its verifier and the layer's rules hold all places.
static void need(tinsmith_diana_status_t status) {
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

// To 7 bits what the accelerator has clipped to 8: the same as if it had clipped so at once.
static void clip_output(void) {
  uint8_t *at = (uint8_t *)latest.output;
  for (const uint8_t *const end = at + LANES * latest.rows * latest.banks; at != end; at += LANES) {
    const uint32_t a = load_row_word(at), b = load_row_word(at + 4);
    const uint32_t c = load_row_word(at + 8), d = load_row_word(at + 12);
    store_row_word(at, clip_four(a, LEAST, MOST));
    store_row_word(at + 4, clip_four(b, LEAST, MOST));
    store_row_word(at + 8, clip_four(c, LEAST, MOST));
    store_row_word(at + 12, clip_four(d, LEAST, MOST));
  }
}

// A copy waits for the layer before it.
static void end_latest(void) {
  if (latest.is_under_way) {
    uint32_t copy;
    need(tinsmith_diana_analog_copy_out(latest.output, latest.image, latest.rows, latest.banks, &copy));
    tinsmith_diana_analog_wait(copy);
    latest.is_under_way = false;
    if (latest.is_narrow) {
      clip_output();
    }
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
  latest.is_narrow = words[kIsNarrow] != 0u;
  latest.is_under_way = true;
  numbers[token] = started++;
}

void tinsmith_diana_analog_layer_wait(uint32_t token) {
  if (numbers[token] == started - 1u) {
    end_latest();
  }
}

void tinsmith_diana_analog_banks_start(const int8_t *layer, const int8_t *weights, const int8_t *scales,
                                       const int8_t *input, int8_t *output, uint32_t token) {
  const tinsmith_diana_analog_places_t places = {weights, scales, input, NULL, NULL, output};
  end_latest();
  awaited[token] = tinsmith_diana_analog_start((const tinsmith_diana_analog_record_t *)(const void *)layer, &places);
}

void tinsmith_diana_analog_to_banks_start(const int8_t *pixels, uint32_t rows, uint32_t banks, int8_t *image,
                                          uint32_t token) {
  end_latest();
  need(tinsmith_diana_analog_copy_in(image, pixels, rows, banks, &awaited[token]));
}

void tinsmith_diana_analog_from_banks_start(const int8_t *image, uint32_t rows, uint32_t banks, int8_t *pixels,
                                            uint32_t token) {
  end_latest();
  need(tinsmith_diana_analog_copy_out(pixels, image, rows, banks, &awaited[token]));
}

void tinsmith_diana_analog_banks_wait(uint32_t token) {
  tinsmith_diana_analog_wait(awaited[token]);
}
