// DIANA's digital accelerator for tests on a computer. It ends each layer or copy as late as it may: when it or a later
// one is waited for, or another one is started. Compiled with TINSMITH_DIANA_EARLY it runs them at once. A program
// without races gives the same results either way.

#include <stdlib.h>
#include <string.h>

#include "tinsmith/diana.h"
#include "twin.h"

#ifndef TINSMITH_DIANA_EARLY
#define TINSMITH_DIANA_EARLY 0
#endif

// A copy has no record; of pieces from several banks, `bytes` is the length of one.
typedef struct {
  const tinsmith_diana_record_t *record;
  tinsmith_diana_places_t places;
  void *to;
  const void *from;
  size_t bytes;
  uint32_t rows, banks;
} start_t;

static start_t latest;
static uint32_t started;
static uint32_t ended;

static void copy_latest(void) {
  int8_t *to = latest.to;
  for (uint32_t row = 0u; row < latest.rows; ++row) {
    const int8_t *from = (const int8_t *)latest.from + row * latest.bytes;
    for (uint32_t bank = 0u; bank < latest.banks; ++bank, to += latest.bytes) {
      memmove(to, from + (size_t)bank * TINSMITH_DIANA_BANK_BYTES, latest.bytes);
    }
  }
}

static void end_latest(void) {
  if (ended == started) {
    return;
  }
  if (latest.record != NULL) {
    tinsmith_diana_compute(latest.record->words, &latest.places);
  } else {
    copy_latest();
  }
  ++ended;
}

static uint32_t begin(const start_t *start) {
  end_latest();
  latest = *start;
  ++started;
  if (TINSMITH_DIANA_EARLY) {
    end_latest();
  }
  return started - 1u;
}

uint32_t tinsmith_diana_start(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places) {
  const uintptr_t addresses = (uintptr_t)places->input | (uintptr_t)places->operand | (uintptr_t)places->output;
  if (addresses % TINSMITH_DIANA_LANES != 0u || (uintptr_t)places->weights % 4u != 0u) {
    abort();
  }
  const start_t start = {.record = record, .places = *places};
  return begin(&start);
}

uint32_t tinsmith_diana_start_joined(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places) {
  return tinsmith_diana_start(record, places);
}

// On a computer any memory is the accelerators'; only alignment and length can be told.
static tinsmith_diana_status_t copy(void *to, const void *from, const void *l1, const void *l2, uint32_t bytes,
                                    uint32_t *number) {
  if ((uintptr_t)l1 % TINSMITH_DIANA_LANES != 0u || (uintptr_t)l2 % 4u != 0u) {
    return kTinsmithDianaBadAddress;
  }
  if (bytes - 1u >= TINSMITH_DIANA_L1_BYTES) {
    return kTinsmithDianaBadLength;
  }
  const uint32_t rounded = (bytes + TINSMITH_DIANA_COPY_BYTES - 1u) & ~(TINSMITH_DIANA_COPY_BYTES - 1u);
  const start_t start = {.to = to, .from = from, .bytes = rounded, .rows = 1u, .banks = 1u};
  *number = begin(&start);
  return kTinsmithDianaOk;
}

tinsmith_diana_status_t tinsmith_diana_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number) {
  return copy(l1, l2, l1, l2, bytes, number);
}

tinsmith_diana_status_t tinsmith_diana_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number) {
  return copy(l2, l1, l1, l2, bytes, number);
}

tinsmith_diana_status_t tinsmith_diana_try_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number) {
  return tinsmith_diana_is_idle() ? tinsmith_diana_copy_in(l1, l2, bytes, number) : kTinsmithDianaBusy;
}

tinsmith_diana_status_t tinsmith_diana_try_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number) {
  return tinsmith_diana_is_idle() ? tinsmith_diana_copy_out(l2, l1, bytes, number) : kTinsmithDianaBusy;
}

tinsmith_diana_status_t tinsmith_diana_copy_out_of_banks(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                         uint32_t *number) {
  if (rows - 1u >= TINSMITH_DIANA_L1_BYTES / TINSMITH_DIANA_LANES || banks - 1u >= TINSMITH_DIANA_BANKS) {
    return kTinsmithDianaBadLength;
  }
  const bool is_in_banks = banks == 1u || TINSMITH_DIANA_LANES * rows <= TINSMITH_DIANA_BANK_BYTES;
  if ((uintptr_t)l1 % TINSMITH_DIANA_LANES != 0u || (uintptr_t)l2 % 4u != 0u || !is_in_banks) {
    return kTinsmithDianaBadAddress;
  }
  const start_t start = {.to = l2, .from = l1, .bytes = TINSMITH_DIANA_LANES, .rows = rows, .banks = banks};
  *number = begin(&start);
  return kTinsmithDianaOk;
}

bool tinsmith_diana_is_idle(void) {
  return ended == started;
}

void tinsmith_diana_wait(uint32_t number) {
  if ((int32_t)(number - started) >= 0) {
    abort();  // no such layer or copy was started
  }
  if ((int32_t)(number - ended) >= 0) {
    end_latest();
  }
}
