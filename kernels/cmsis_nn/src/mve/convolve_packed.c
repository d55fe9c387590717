/* convolve_packed_body.h as TFLite rounds. */

#include "src/mve/convolve_packed_body.h"
