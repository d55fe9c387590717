// The same DMA, which ends each copy at once.

#define TINSMITH_DMA_EARLY 1

#include "host.c"
