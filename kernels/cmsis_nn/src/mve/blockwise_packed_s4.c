/* blockwise_packed_s4_body.h as TFLite rounds. */

#include "src/mve/blockwise_packed_s4_body.h"
