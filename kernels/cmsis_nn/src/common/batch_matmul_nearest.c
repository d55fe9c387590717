/* batch_matmul_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/common/batch_matmul_body.h"
