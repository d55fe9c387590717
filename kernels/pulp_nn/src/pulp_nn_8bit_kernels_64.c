// Layers of the older pulp-nn with kappa and lambda of 64 bits.
#include "include/pulp_nn_kernels_64.h"
#include "src/internal/named_8bit_layers.h"

LAYERS(int64_t, _64)
