/* depthwise_pixels_body.h as TFLite rounds. */

#include "src/c/depthwise_pixels_body.h"
