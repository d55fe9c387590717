/* fully_connected_body.h as TFLite rounds. */

#include "src/mve/fully_connected_body.h"
