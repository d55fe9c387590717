/* fully_connected_packed_body.h as TFLite rounds. */

#include "src/dsp/fully_connected_packed_body.h"
