// For programs without a team of their own: one core.
#include "pulp_nn_team.h"

__attribute__((weak)) pulp_nn_team_t pulp_nn_team(void) {
  return (pulp_nn_team_t){0u, 1u};
}

__attribute__((weak)) void pulp_nn_team_barrier(void) {
}
