/* depthwise_packed_3x3_body.h as TFLite rounds. */

#include "src/mve/depthwise_packed_3x3_body.h"
