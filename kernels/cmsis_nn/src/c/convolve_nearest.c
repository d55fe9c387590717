/* convolve_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/c/convolve_body.h"
