/* fully_connected_small_body.h as TFLite rounds. */

#include "src/mve/fully_connected_small_body.h"
