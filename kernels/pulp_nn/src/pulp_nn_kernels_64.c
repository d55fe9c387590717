// Layers of pulp-nn-mixed with kappa and lambda of 64 bits.
#include "pulp_nn_kernels_64.h"

#include "internal/named_layers.h"

LAYERS(uint8_t, uint8_t, u8_u8, int64_t, _64)
LAYERS(uint8_t, int8_t, u8_i8, int64_t, _64)
LAYERS(int8_t, uint8_t, i8_u8, int64_t, _64)
LAYERS(int8_t, int8_t, i8_i8, int64_t, _64)
