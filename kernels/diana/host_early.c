// The same accelerator, which runs each layer and copy at once.

#define TINSMITH_DIANA_EARLY 1

#include "host.c"
