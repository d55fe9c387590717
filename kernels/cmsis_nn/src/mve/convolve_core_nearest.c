/* convolve_core_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/mve/convolve_core_body.h"
