// What the tests ask of the machine they run on: the host does one core after the other, the cluster forks.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_TEAM_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_TEAM_H_

#include <stdint.h>

#include "include/tinsmith_pulp_nn.h"

typedef void (*team_work_t)(void *argument, tinsmith_pulp_core_t core);

/** Runs work on `cores` cores and returns when all are done. */
void team_run(uint32_t cores, team_work_t work, void *argument);

void print_text(const char *text);

void print_number(int32_t number);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_TEAM_H_
