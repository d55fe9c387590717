/* depthwise_block_body.h as TFLite rounds. */

#include "src/c/depthwise_block_body.h"
