/* depthwise_body.h as TFLite rounds. */

#include "src/mve/depthwise_body.h"
