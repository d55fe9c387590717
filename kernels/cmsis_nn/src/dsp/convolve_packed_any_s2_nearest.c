/* convolve_packed_any_s2_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/dsp/convolve_packed_any_s2_body.h"
