/* fully_connected_packed_deep_body.h as TFLite rounds. */

#include "src/dsp/fully_connected_packed_deep_body.h"
