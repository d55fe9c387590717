/* convolve_core_body.h as TFLite rounds. */

#include "src/mve/convolve_core_body.h"
