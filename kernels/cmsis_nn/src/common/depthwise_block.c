/* depthwise_block_body.h as TFLite rounds. */

#include "src/common/depthwise_block_body.h"
