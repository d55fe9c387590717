/* Which implementation is built: TINSMITH_NN_MVE, TINSMITH_NN_DSP, TINSMITH_NN_C. */
#ifndef TINSMITH_NN_INTERNAL_IMPLEMENTATION_H
#define TINSMITH_NN_INTERNAL_IMPLEMENTATION_H

#include "include/tinsmith_nn_implementation.h"

#endif /* TINSMITH_NN_INTERNAL_IMPLEMENTATION_H */
