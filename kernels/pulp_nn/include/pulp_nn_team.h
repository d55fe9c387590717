/* What the functions of pulp_nn_kernels.h ask of the platform: which core calls, of how many, and a barrier.
 *
 * The library has these two as weak symbols that serve one core alone. A cluster's runtime gives its own, for PMSIS:
 *     pulp_nn_team_t pulp_nn_team(void) { return (pulp_nn_team_t){pi_core_id(), pi_cl_team_nb_cores()}; }
 *     void pulp_nn_team_barrier(void) { pi_cl_team_barrier(); }
 */
#ifndef PULP_NN_TEAM_H_
#define PULP_NN_TEAM_H_

#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_core_t pulp_nn_team_t;

pulp_nn_team_t pulp_nn_team(void);

void pulp_nn_team_barrier(void);

#endif /* PULP_NN_TEAM_H_ */
