/* depthwise_packed_s4_body.h as TFLite rounds. */

#include "src/common/depthwise_packed_s4_body.h"
