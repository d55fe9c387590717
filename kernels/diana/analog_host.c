// DIANA's analog accelerator for tests on a computer, which runs each layer and copy at once.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analog_record.h"
#include "analog_twin.h"
#include "tinsmith_diana_analog.h"

static uint32_t started;

uint32_t tinsmith_diana_analog_start(const tinsmith_diana_analog_record_t *record,
                                     const tinsmith_diana_analog_places_t *places) {
  const uintptr_t images =
      (uintptr_t)places->input | (uintptr_t)places->partial | (uintptr_t)places->residual | (uintptr_t)places->output;
  if (images % ANALOG_LANES != 0u || ((uintptr_t)places->weights | (uintptr_t)places->scales) % 4u != 0u) {
    abort();
  }
  tinsmith_diana_analog_compute(record->words, places);
  return started++;
}

// On a computer any memory is the accelerators'; only alignment and length can be told.
static tinsmith_diana_status_t check_copy(const void *l1, const void *l2, uint32_t rows, uint32_t banks) {
  if (rows - 1u >= TINSMITH_DIANA_L1_BYTES / ANALOG_LANES || banks - 1u >= TINSMITH_DIANA_BANKS) {
    return kTinsmithDianaBadLength;
  }
  const bool is_aligned = (uintptr_t)l1 % ANALOG_LANES == 0u && (uintptr_t)l2 % 4u == 0u;
  const bool is_in_banks = banks == 1u || ANALOG_LANES * rows <= TINSMITH_DIANA_BANK_BYTES;
  return is_aligned && is_in_banks ? kTinsmithDianaOk : kTinsmithDianaBadAddress;
}

static uint32_t pieces(uint32_t rows, uint32_t banks) {
  return banks == 1u ? rows + rows % 2u : rows * banks;
}

// Of a piece of 16 bytes, from the place in the first bank.
static size_t in_banks(uint32_t piece, uint32_t banks) {
  return (size_t)(piece % banks) * TINSMITH_DIANA_BANK_BYTES + (size_t)(piece / banks) * ANALOG_LANES;
}

tinsmith_diana_status_t tinsmith_diana_analog_copy_in(void *l1, const void *l2, uint32_t rows, uint32_t banks,
                                                      uint32_t *number) {
  const tinsmith_diana_status_t status = check_copy(l1, l2, rows, banks);
  if (status != kTinsmithDianaOk) {
    return status;
  }
  for (uint32_t piece = 0u; piece < pieces(rows, banks); ++piece) {
    memcpy((int8_t *)l1 + in_banks(piece, banks), (const int8_t *)l2 + (size_t)piece * ANALOG_LANES, ANALOG_LANES);
  }
  *number = started++;
  return status;
}

tinsmith_diana_status_t tinsmith_diana_analog_copy_out(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                       uint32_t *number) {
  const tinsmith_diana_status_t status = check_copy(l1, l2, rows, banks);
  if (status != kTinsmithDianaOk) {
    return status;
  }
  for (uint32_t piece = 0u; piece < pieces(rows, banks); ++piece) {
    memcpy((int8_t *)l2 + (size_t)piece * ANALOG_LANES, (const int8_t *)l1 + in_banks(piece, banks), ANALOG_LANES);
  }
  *number = started++;
  return status;
}

bool tinsmith_diana_analog_is_idle(void) {
  return true;
}

void tinsmith_diana_analog_wait(uint32_t number) {
  if ((int32_t)(number - started) >= 0) {
    abort();  // no such layer or copy was started
  }
}
