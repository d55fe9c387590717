/* convolve_body.h as TFLite rounds. */

#include "src/mve/convolve_body.h"
