/* rescale_body.h as TFLite rounds. */

#include "src/c/rescale_body.h"
