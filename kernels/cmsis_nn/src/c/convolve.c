/* convolve_body.h as TFLite rounds. */

#include "src/c/convolve_body.h"
