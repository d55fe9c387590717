/* convolve_packed_any_body.h as TFLite rounds. */

#include "src/dsp/convolve_packed_any_body.h"
