// A fetch engine for tests on a computer. It ends each copy as late as it may: when it or a later one is waited for, in
// the order of their starts. Compiled with TINSMITH_FETCH_EARLY it copies at once. A program without races gives the
// same results either way.

#include <stdlib.h>
#include <string.h>

#include "tinsmith/fetch.h"

#ifndef TINSMITH_FETCH_EARLY
#define TINSMITH_FETCH_EARLY 0
#endif

typedef struct fetch {
  struct fetch *next;
  void *to;
  const void *from;
  uint32_t bytes;
} fetch_t;

// Those that have not ended, the oldest first.
static fetch_t *oldest;
static fetch_t **behind_newest = &oldest;

// How many were started, and ended; a ticket is how many were started before, and itself.
static uint32_t started;
static uint32_t ended;

static void end_oldest(void) {
  fetch_t *const fetch = oldest;
  memcpy(fetch->to, fetch->from, fetch->bytes);
  oldest = fetch->next;
  if (oldest == NULL) {
    behind_newest = &oldest;
  }
  free(fetch);
  ++ended;
}

uint32_t tinsmith_fetch_start(void *to, const void *from, uint32_t bytes) {
  const fetch_t wanted = {NULL, to, from, bytes};
  fetch_t *const fetch = malloc(sizeof *fetch);
  const int is_aligned = ((uintptr_t)to | (uintptr_t)from) % 4u == 0u;
  if (fetch == NULL || bytes == 0u || !is_aligned) {
    abort();
  }
  *fetch = wanted;
  *behind_newest = fetch;
  behind_newest = &fetch->next;
  ++started;
  if (TINSMITH_FETCH_EARLY) {
    end_oldest();
  }
  return started;
}

void tinsmith_fetch_wait(uint32_t ticket) {
  if ((int32_t)(started - ticket) < 0) {
    abort();  // nothing was started with that ticket
  }
  while ((int32_t)(ticket - ended) > 0) {
    end_oldest();
  }
}
