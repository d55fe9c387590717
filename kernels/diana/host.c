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

// A copy has no record.
typedef struct {
  const tinsmith_diana_record_t *record;
  tinsmith_diana_places_t places;
  void *to;
  const void *from;
  size_t bytes;
} start_t;

static start_t latest;
static uint32_t started;
static uint32_t ended;

static void end_latest(void) {
  if (ended == started) {
    return;
  }
  if (latest.record != NULL) {
    tinsmith_diana_compute(latest.record->words, &latest.places);
  } else {
    memmove(latest.to, latest.from, latest.bytes);
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
  const start_t start = {.to = to, .from = from, .bytes = rounded};
  *number = begin(&start);
  return kTinsmithDianaOk;
}

tinsmith_diana_status_t tinsmith_diana_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number) {
  return copy(l1, l2, l1, l2, bytes, number);
}

tinsmith_diana_status_t tinsmith_diana_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number) {
  return copy(l2, l1, l1, l2, bytes, number);
}

void tinsmith_diana_wait(uint32_t number) {
  if ((int32_t)(number - started) >= 0) {
    abort();  // no such layer or copy was started
  }
  if ((int32_t)(number - ended) >= 0) {
    end_latest();
  }
}
