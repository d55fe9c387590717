/* depthwise_packed_body.h as TFLite rounds. */

#include "src/mve/depthwise_packed_body.h"
