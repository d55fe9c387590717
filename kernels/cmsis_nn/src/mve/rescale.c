/* rescale_body.h as TFLite rounds. */

#include "src/mve/rescale_body.h"
