/* fully_connected_widened_s2_body.h as TFLite rounds. */

#include "src/common/fully_connected_widened_s2_body.h"
