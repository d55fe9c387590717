// Bounds narrower than a byte's.
#ifndef TINSMITH_KERNELS_PULP_NN_CLAMP_H_
#define TINSMITH_KERNELS_PULP_NN_CLAMP_H_

#include "corev.h"

// Clamps bytes to [min, max], both in the bytes' range.
void clamp_bytes(uint8_t *bytes, uint32_t count, int32_t min, int32_t max, bool is_signed);

#endif  // TINSMITH_KERNELS_PULP_NN_CLAMP_H_
