/* packed_body.h as TFLite rounds. */

#include "src/c/packed_body.h"
