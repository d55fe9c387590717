/* rows_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/c/rows_body.h"
