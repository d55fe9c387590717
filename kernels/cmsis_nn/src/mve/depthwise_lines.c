/* depthwise_lines_body.h as TFLite rounds. */

#include "src/mve/depthwise_lines_body.h"
