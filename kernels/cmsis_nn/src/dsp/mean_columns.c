/* mean_columns_body.h as TFLite rounds. */

#include "src/dsp/mean_columns_body.h"
