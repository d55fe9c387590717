// The same engines, which run each job at once.

#define TINSMITH_ENGINE_EARLY 1

#include "host.c"
