// What N-EUREKA does with the registers of a job, in plain C; for host.c.

#ifndef TINSMITH_KERNELS_NEUREKA_TWIN_H_
#define TINSMITH_KERNELS_NEUREKA_TWIN_H_

#include "tinsmith/neureka.h"

// Compute a job from its words alone. Aborts if they are none that tinsmith_neureka_encode() gives.
void tinsmith_neureka_run(const tinsmith_neureka_job_t *job);

#endif  // TINSMITH_KERNELS_NEUREKA_TWIN_H_
