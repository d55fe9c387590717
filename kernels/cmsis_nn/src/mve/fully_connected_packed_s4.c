/* fully_connected_packed_s4_body.h as TFLite rounds. */

#include "src/mve/fully_connected_packed_s4_body.h"
