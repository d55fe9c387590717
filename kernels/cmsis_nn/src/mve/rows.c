/* rows_body.h as TFLite rounds. */

#include "src/mve/rows_body.h"
