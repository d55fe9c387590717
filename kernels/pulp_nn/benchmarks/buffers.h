// Memory that all cases use, on the cluster its first level.
#ifndef TINSMITH_KERNELS_PULP_NN_BENCHMARKS_BUFFERS_H_
#define TINSMITH_KERNELS_PULP_NN_BENCHMARKS_BUFFERS_H_

#include <stdint.h>

#include "include/tinsmith_pulp_nn.h"

#if defined(__riscv)
#define L1 __attribute__((section(".l1"), aligned(16)))
#else
#define L1 __attribute__((aligned(16)))
#endif

#define INPUT_BYTES (28u * 1024u)
#define WEIGHT_BYTES (84u * 1024u)
#define OUTPUT_BYTES (20u * 1024u)
#define SCRATCH_BYTES (48u * 1024u)

extern uint8_t input[INPUT_BYTES];
extern int8_t weights[WEIGHT_BYTES];
extern uint8_t output[OUTPUT_BYTES];
extern uint8_t scratch[SCRATCH_BYTES];

/** Bytes that look random, the same for the same state. */
void fill(void *bytes, uint32_t count, uint32_t state);

/** TFLite's stage or the truncating one, for sums of about `shift` + 7 bits. */
tinsmith_pulp_stage_t stage_of(bool is_tflite, int32_t shift);

#endif  // TINSMITH_KERNELS_PULP_NN_BENCHMARKS_BUFFERS_H_
