/* convolve_packed_s4_body.h as TFLite rounds. */

#include "src/mve/convolve_packed_s4_body.h"
