/* depthwise_packed_3x3_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/mve/depthwise_packed_3x3_body.h"
