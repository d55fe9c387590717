/* convolve_body.h as TFLite rounds. */

#include "src/dsp/convolve_body.h"
