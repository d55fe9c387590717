/* depthwise_block_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/dsp/depthwise_block_body.h"
