// The machine of the tests is a PULP cluster.
#include "tests/team.h"

#include "include/pulp_nn_team.h"
#include "tinsmith_pulp.h"

typedef struct {
  team_work_t work;
  void *argument;
} job_t;

pulp_nn_team_t pulp_nn_team(void) {
  return (pulp_nn_team_t){pulp_core_id(), pulp_team_size()};
}

void pulp_nn_team_barrier(void) {
  pulp_barrier();
}

static void run(void *argument) {
  const job_t *job = argument;
  job->work(job->argument, pulp_nn_team());
}

void team_run(uint32_t cores, team_work_t work, void *argument) {
  job_t job = {work, argument};
  pulp_team_fork(cores, run, &job);
}

void print_text(const char *text) {
  pulp_print(text);
}

void print_number(int32_t number) {
  pulp_print_number(number);
}
