#ifndef TINSMITH_TESTS_FORKED_KERNEL_H
#define TINSMITH_TESTS_FORKED_KERNEL_H

#include <stdint.h>

#include "tinsmith/cluster.h"

typedef struct {
  uint32_t count;
  const float *input;
  float *output;
} forked_neg_t;

static inline void forked_neg_share(const void *argument, uint32_t core, uint32_t cores) {
  const forked_neg_t *const layer = argument;
  for (uint32_t i = core; i < layer->count; i += cores) {
    layer->output[i] = -layer->input[i];
  }
}

/** -input, each core every so many elements. */
static inline void forked_neg_f32(uint32_t cores, uint32_t count, const float *input, float *output) {
  const forked_neg_t layer = {count, input, output};
  tinsmith_cluster_fork(cores, forked_neg_share, &layer);
}

#endif
