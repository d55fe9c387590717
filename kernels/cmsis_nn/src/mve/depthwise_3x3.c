/* depthwise_3x3_body.h as TFLite rounds. */

#include "src/mve/depthwise_3x3_body.h"
