/* depthwise_body.h as TFLite rounds. */

#include "src/c/depthwise_body.h"
