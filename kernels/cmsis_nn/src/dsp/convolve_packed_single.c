/* convolve_packed_single_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_single_body.h"
