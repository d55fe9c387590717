/* fully_connected_packed_s2_body.h as TFLite rounds. */

#include "src/dsp/fully_connected_packed_s2_body.h"
