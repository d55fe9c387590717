// What DIANA's digital accelerator does with a record, in plain C; for host.c.

#ifndef TINSMITH_KERNELS_DIANA_TWIN_H_
#define TINSMITH_KERNELS_DIANA_TWIN_H_

#include "tinsmith/diana.h"

// Compute a layer from its record and bytes alone. Aborts if the record is none that tinsmith_diana_digital_encode()
// gives.
void tinsmith_diana_compute(const uint32_t *words, const tinsmith_diana_places_t *places);

#endif  // TINSMITH_KERNELS_DIANA_TWIN_H_
