/* wrappers_body.h as TFLite rounds. */

#include "src/common/wrappers_body.h"
