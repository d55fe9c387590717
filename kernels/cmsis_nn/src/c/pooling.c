/* pooling_body.h as TFLite rounds. */

#include "src/c/pooling_body.h"
