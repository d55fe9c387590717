/* convolve_packed_any_body.h as TFLite rounds. */

#include "src/c/convolve_packed_any_body.h"
