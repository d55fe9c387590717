// The same DMA for core 0 of the cluster: by the window that each core has of its own.

#define TINSMITH_MCHAN 0x10204400u

#include "mchan.c"
