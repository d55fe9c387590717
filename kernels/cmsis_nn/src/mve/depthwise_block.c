/* depthwise_block_body.h as TFLite rounds. */

#include "src/mve/depthwise_block_body.h"
