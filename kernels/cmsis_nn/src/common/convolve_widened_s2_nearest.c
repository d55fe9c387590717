/* convolve_widened_s2_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/common/convolve_widened_s2_body.h"
