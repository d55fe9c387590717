// A DMA engine for tests on a computer. It ends each copy as late as it may: when it is waited for, what was started
// before going first. Compiled with TINSMITH_DMA_EARLY it copies at once. A program without races gives the same
// results either way.

#include <stdlib.h>
#include <string.h>

#include "tinsmith/dma.h"

#ifndef TINSMITH_DMA_EARLY
#define TINSMITH_DMA_EARLY 0
#endif

typedef struct copy {
  struct copy *next;
  uint32_t token;
  uint8_t *destination;
  const uint8_t *source;
  uint32_t bytes;
  uint32_t rows;
  uint32_t destination_stride;
  uint32_t source_stride;
} copy_t;

static copy_t *queue;

static void run(const copy_t *copy) {
  for (uint32_t row = 0; row < copy->rows; ++row) {
    memcpy(copy->destination + row * copy->destination_stride, copy->source + row * copy->source_stride, copy->bytes);
  }
}

void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  const copy_t wanted = {NULL, token, destination, source, bytes, rows, destination_stride, source_stride};
  copy_t *copy = malloc(sizeof *copy);
  if (token >= TINSMITH_DMA_TOKENS || copy == NULL) {
    abort();
  }
  *copy = wanted;
  if (TINSMITH_DMA_EARLY) {
    run(copy);
    copy->rows = 0;
  }
  copy_t **end = &queue;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = copy;
}

void tinsmith_dma_wait(uint32_t token) {
  copy_t *last = NULL;
  for (copy_t *copy = queue; copy != NULL; copy = copy->next) {
    last = copy->token == token ? copy : last;
  }
  if (last == NULL) {
    abort();  // nothing was started with that token
  }
  for (copy_t *copy = queue; copy != last->next; copy = copy->next) {
    run(copy);
    copy->rows = 0;  // done; its own wait may come later
  }
  for (copy_t **at = &queue; *at != NULL;) {
    copy_t *copy = *at;
    if (copy->token == token) {
      *at = copy->next;
      free(copy);
    } else {
      at = &copy->next;
    }
  }
}

void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  tinsmith_dma_start(token, destination, source, bytes, rows, destination_stride, source_stride);
}

// What was started before goes last, though it may go first elsewhere: a program that does not wait for it is found
// out.
void tinsmith_dma_wait_unordered(uint32_t token) {
  for (copy_t **at = &queue; *at != NULL;) {
    copy_t *copy = *at;
    if (copy->token == token) {
      run(copy);
      *at = copy->next;
      free(copy);
    } else {
      at = &copy->next;
    }
  }
}

void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  tinsmith_dma_start(token, destination, source, bytes, 1u, 0u, 0u);
}
