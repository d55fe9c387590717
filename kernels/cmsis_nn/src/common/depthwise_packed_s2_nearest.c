/* depthwise_packed_s2_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/common/depthwise_packed_s2_body.h"
