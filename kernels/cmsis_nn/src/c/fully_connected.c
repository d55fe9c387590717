/* fully_connected_body.h as TFLite rounds. */

#include "src/c/fully_connected_body.h"
