/* convolve_packed_s4_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_s4_body.h"
