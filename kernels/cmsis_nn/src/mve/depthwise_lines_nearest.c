/* depthwise_lines_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/mve/depthwise_lines_body.h"
