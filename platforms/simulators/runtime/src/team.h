// Between start-up and the team.
#ifndef TINSMITH_PULP_RUNTIME_TEAM_H_
#define TINSMITH_PULP_RUNTIME_TEAM_H_

/** Lets the events of forks and barriers wake the calling core. */
void team_prepare_core(void);

/** What cores 1 and up do: wait for a fork, run its work, meet the team at its end, again. */
_Noreturn void team_serve(void);

#endif  // TINSMITH_PULP_RUNTIME_TEAM_H_
