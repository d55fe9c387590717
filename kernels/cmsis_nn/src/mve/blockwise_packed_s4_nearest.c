/* blockwise_packed_s4_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/mve/blockwise_packed_s4_body.h"
