/* depthwise_packed_body.h as TFLite rounds. */

#include "src/common/depthwise_packed_body.h"
