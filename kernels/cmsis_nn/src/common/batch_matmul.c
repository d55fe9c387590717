/* batch_matmul_body.h as TFLite rounds. */

#include "src/common/batch_matmul_body.h"
