// The layers that are measured.
#ifndef TINSMITH_KERNELS_PULP_NN_BENCHMARKS_CASES_H_
#define TINSMITH_KERNELS_PULP_NN_BENCHMARKS_CASES_H_

#include "include/tinsmith_pulp_nn.h"

typedef struct {
  const char *kernel;
  const char *shape;
  uint32_t cores;
  uint32_t macs;
  /** One core's share. */
  void (*run)(void *layer, tinsmith_pulp_core_t core);
  void *layer;
  uint8_t *output;
  uint32_t output_bytes;
} benchmark_t;

/** Number of cases. */
uint32_t benchmark_count(void);

/** Prepares a case: its data, and zeros where its output goes. */
benchmark_t benchmark_case(uint32_t index);

/** Computes the case's output by plain loops, into the case's output. */
void benchmark_expect(uint32_t index);

/** FNV-1a of bytes. */
uint32_t checksum(const uint8_t *bytes, uint32_t count);

#endif  // TINSMITH_KERNELS_PULP_NN_BENCHMARKS_CASES_H_
