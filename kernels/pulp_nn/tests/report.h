#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_REPORT_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_REPORT_H_

#include <stdint.h>

/** Prints a line: what was called, how often, how many calls were wrong. */
void report(const char *name, uint32_t calls, uint32_t failures);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_REPORT_H_
