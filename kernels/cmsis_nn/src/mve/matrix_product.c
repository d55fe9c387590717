/* matrix_product_body.h as TFLite rounds. */

#include "src/mve/matrix_product_body.h"
