/* depthwise_pixels_body.h as TFLite rounds. */

#include "src/dsp/depthwise_pixels_body.h"
