/* blockwise_packed_s4_body.h as TFLite rounds. */

#include "src/dsp/blockwise_packed_s4_body.h"
