/* rows_body.h as TFLite rounds. */

#include "src/c/rows_body.h"
