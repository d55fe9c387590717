// A core's part of a convolution, for functions of which a program may have several.
#include "internal/parts.h"

part_t part_of_conv2d(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core) {
  return part_of(layer, core);
}
