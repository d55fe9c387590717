/* depthwise_pixels_body.h as TFLite rounds. */

#include "src/mve/depthwise_pixels_body.h"
