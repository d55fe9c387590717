/* convolve_widened_s2_body.h as TFLite rounds. */

#include "src/common/convolve_widened_s2_body.h"
