// Layers of the older pulp-nn with kappa and lambda of 64 bits.
#include "internal/named_8bit_layers.h"
#include "pulp_nn_kernels_64.h"

LAYERS(int64_t, _64)
