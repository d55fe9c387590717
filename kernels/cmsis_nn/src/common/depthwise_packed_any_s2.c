/* depthwise_packed_any_s2_body.h as TFLite rounds. */

#include "src/common/depthwise_packed_any_s2_body.h"
