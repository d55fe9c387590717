// Where random calls work: on the cluster its first-level memory, but for what is expected.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_BUFFERS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_BUFFERS_H_

#include "tests/random_data.h"

#define BUFFER_BYTES 8192u
#define MARGIN_BYTES 16u
#define MARGIN_VALUE 0xa5u

#if defined(__riscv)
#define L1 __attribute__((section(".l1"), aligned(4)))
#else
#define L1 __attribute__((aligned(4)))
#endif

extern uint8_t input[BUFFER_BYTES];
extern int8_t weights[BUFFER_BYTES];
extern uint8_t output[BUFFER_BYTES + MARGIN_BYTES];
extern uint8_t scratch[BUFFER_BYTES];
extern uint8_t expected[BUFFER_BYTES];

/** Random bytes at the end of the input's buffer, so that AddressSanitizer sees a read behind them. */
uint8_t *random_input(random_t *random, uint32_t bytes);

/** Fills the first bytes of the output and the margin behind them. */
void clear_output(uint32_t bytes);

/** Whether the output's bytes are as expected, and those behind them as they were. */
bool output_is_right(uint32_t bytes);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_BUFFERS_H_
