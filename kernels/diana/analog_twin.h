// What DIANA's analog accelerator does with a record, in plain C; for analog_host.c.

#ifndef TINSMITH_KERNELS_DIANA_ANALOG_TWIN_H_
#define TINSMITH_KERNELS_DIANA_ANALOG_TWIN_H_

#include "tinsmith_diana_analog.h"

// Compute a layer from its record and bytes alone, and from what earlier ones left in the array; images have their
// banks TINSMITH_DIANA_BANK_BYTES apart. Aborts if the record is none that tinsmith_diana_analog_encode() gives, and
// for inputs that are not of 7 bits.
void tinsmith_diana_analog_compute(const uint32_t *words, const tinsmith_diana_analog_places_t *places);

#endif  // TINSMITH_KERNELS_DIANA_ANALOG_TWIN_H_
