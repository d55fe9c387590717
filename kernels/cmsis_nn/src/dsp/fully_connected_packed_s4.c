/* fully_connected_packed_s4_body.h as TFLite rounds. */

#include "src/dsp/fully_connected_packed_s4_body.h"
