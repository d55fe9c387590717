/* named_wrappers_body.h as TFLite rounds. */

#include "src/common/named_wrappers_body.h"
