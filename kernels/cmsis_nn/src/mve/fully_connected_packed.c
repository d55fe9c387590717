/* fully_connected_packed_body.h as TFLite rounds. */

#include "src/mve/fully_connected_packed_body.h"
