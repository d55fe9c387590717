/* convolve_packed_s2_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_s2_body.h"
