/* pooling_body.h as TFLite rounds. */

#include "src/mve/pooling_body.h"
