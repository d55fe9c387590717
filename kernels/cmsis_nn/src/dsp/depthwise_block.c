/* depthwise_block_body.h as TFLite rounds. */

#include "src/dsp/depthwise_block_body.h"
