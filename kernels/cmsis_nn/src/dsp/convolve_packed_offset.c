/* convolve_packed_offset_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_offset_body.h"
