// The machine of the tests is this computer. usage: program SEED CALLS
#include <stdio.h>
#include <stdlib.h>

#include "include/pulp_nn_team.h"
#include "tests/named_calls.h"
#include "tests/random_calls.h"
#include "tests/team.h"

#define CORES 8u

static tinsmith_pulp_core_t current = {0u, 1u};

pulp_nn_team_t pulp_nn_team(void) {
  return current;
}

void team_run(uint32_t cores, team_work_t work, void *argument) {
  for (uint32_t core = 0u; core < cores; ++core) {
    current = (tinsmith_pulp_core_t){core, cores};
    work(argument, current);
  }
}

void print_text(const char *text) {
  fputs(text, stdout);
}

void print_number(int32_t number) {
  printf("%d", (int)number);
}

int main(int count, char **words) {
  if (count != 3) {
    fputs("usage: random_calls SEED CALLS\n", stderr);
    return 2;
  }
  const uint32_t seed = (uint32_t)strtoul(words[1], NULL, 0);
  const uint32_t calls = (uint32_t)strtoul(words[2], NULL, 0);
  const uint32_t failures = random_calls(seed, calls, CORES) + named_calls(seed, calls, CORES) +
                            named_8bit_calls(seed, calls, CORES) + named_64_calls(seed, calls, CORES);
  return failures == 0u ? 0 : 1;
}
