/* wrappers_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/common/wrappers_body.h"
