/* depthwise_patches_body.h as TFLite rounds. */

#include "src/mve/depthwise_patches_body.h"
