/* requantize_body.h as TFLite rounds. */

#include "src/mve/requantize_body.h"
