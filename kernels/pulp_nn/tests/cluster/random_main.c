// Random layers of every kernel on the cluster; exit status 1 if any byte is wrong.
#include "tests/named_calls.h"
#include "tests/random_calls.h"
#include "tinsmith_pulp.h"

#if !defined(SEED) || !defined(CALLS)
#error "define SEED and CALLS"
#endif

int main(void) {
  const uint32_t failures = random_calls(SEED, CALLS, PULP_CORES_MAX) + named_calls(SEED, CALLS, PULP_CORES_MAX) +
                            named_8bit_calls(SEED, CALLS, PULP_CORES_MAX) + named_64_calls(SEED, CALLS, PULP_CORES_MAX);
  return failures == 0u ? 0 : 1;
}
