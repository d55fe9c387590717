#include "platforms/simulators/soc/model/diana_constants.h"

namespace tinsmith::soc {
namespace {

#define CONSTANT(field) {#field, &DianaConstants::field}

constexpr DianaConstant<DianaConstants> kConstants[] = {
    CONSTANT(pass_begin),          CONSTANT(block_end),    CONSTANT(strided_block),
    CONSTANT(fully_connected_end), CONSTANT(add_vector),   CONSTANT(fully_connected_outputs),
    CONSTANT(depthwise_loop),      CONSTANT(weight_bytes),
};

#undef CONSTANT

constexpr uint32_t kMostWeightBytes = 1U << 24;
constexpr uint32_t kWordBytes = 16;  // of the weight memory

}  // namespace

DianaConstants diana_constants(Settings &settings) {
  DianaConstants constants;
  take_shared(settings, constants);
  take_constants(settings, constants, kConstants);
  if (constants.weight_bytes == 0 || constants.weight_bytes > kMostWeightBytes) {
    settings.refuse("weight_bytes is 1 to 16777216, not " + std::to_string(constants.weight_bytes));
  }
  if (constants.fully_connected_outputs % kWordBytes != 0) {
    settings.refuse("fully_connected_outputs is a multiple of 16, not " +
                    std::to_string(constants.fully_connected_outputs));
  }
  return constants;
}

}  // namespace tinsmith::soc
