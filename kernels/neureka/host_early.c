// The same accelerator, which runs each job at once.

#define TINSMITH_NEUREKA_EARLY 1

#include "host.c"
