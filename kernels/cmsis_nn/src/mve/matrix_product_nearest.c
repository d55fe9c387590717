/* matrix_product_body.h, rounded once. */

#define TINSMITH_NN_NEAREST 1

#include "src/mve/matrix_product_body.h"
