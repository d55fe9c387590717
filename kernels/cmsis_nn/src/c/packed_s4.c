/* packed_s4_body.h as TFLite rounds. */

#include "src/c/packed_s4_body.h"
