/* mean_columns_body.h as TFLite rounds. */

#include "src/c/mean_columns_body.h"
