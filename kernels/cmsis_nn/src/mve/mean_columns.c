/* mean_columns_body.h as TFLite rounds. */

#include "src/mve/mean_columns_body.h"
