/* convolve_packed_offset_body.h as TFLite rounds. */

#include "src/mve/convolve_packed_offset_body.h"
