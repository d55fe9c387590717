#include <stddef.h>

#include "tinsmith/diana.h"
#include "tinsmith_diana_digital.h"

// Words of a record behind those of all layers.
enum { kCopies = 40, kCopiedRows = 41, kCopiedBanks = 42, kCopyStep = 43 };

// Of a copy's row in each bank, in bytes.
#define ROW_BYTES 16u

// Of the convolution that was started last; there is one at a time.
static struct {
  const uint32_t *words;
  const int8_t *images;
  int8_t *output;
} latest;

// Alignment and reach are the program's engine's, to which its verifier and the layer's rules hold all places.
static void need(tinsmith_diana_status_t status) {
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

void tinsmith_diana_digital_pixels_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                         int8_t *images, int8_t *output, uint32_t token) {
  // Constants of a network lie at multiples of 4.
  latest.words = (const uint32_t *)(const void *)layer;
  latest.images = images;
  latest.output = output;
  tinsmith_diana_digital_start(layer, weights, input, NULL, images, token);
}

// The first copy waits for the convolution.
void tinsmith_diana_digital_pixels_wait(uint32_t token) {
  (void)token;
  const uint32_t *const words = latest.words;
  const uint32_t rows = words[kCopiedRows], banks = words[kCopiedBanks];
  const int8_t *from = latest.images;
  int8_t *to = latest.output;
  uint32_t copy = 0u;
  for (uint32_t left = words[kCopies]; left != 0u; --left) {
    need(tinsmith_diana_copy_out_of_banks(to, from, rows, banks, &copy));
    from += words[kCopyStep];
    to += ROW_BYTES * rows * banks;
  }
  tinsmith_diana_wait(copy);
}
