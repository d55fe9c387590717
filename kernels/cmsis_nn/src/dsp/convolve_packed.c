/* convolve_packed_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_body.h"
