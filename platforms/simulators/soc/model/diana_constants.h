// The constants of the model of DIANA's digital accelerator alone, each with its source; diana_shared.h has the others,
// and says what sources are called.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_CONSTANTS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_CONSTANTS_H_

#include <cstdint>

#include "platforms/simulators/soc/model/diana_shared.h"

namespace tinsmith::soc {

struct DianaConstants : DianaShared {
  // Convolutions: a pass over a kernel row of an input channel takes its taps and these [match]; a block of 16x16
  // outputs takes these: bias 4, its sum, the shift, 16 rows out, the array's clearing [match; tinyvers explains 23].
  uint32_t pass_begin = 2;
  uint32_t block_end = 23;
  // More for each block of a layer of stride 2 [tinyvers has 1 of it; match 0, which fits as well].
  uint32_t strided_block = 0;
  // Fully connected: 16 outputs take a cycle for 16 inputs and these [tinyvers].
  uint32_t fully_connected_end = 20;
  // Addition: 16 elements [tinyvers: four states].
  uint32_t add_vector = 4;

  // What is doubtful, as HTVM saw the chip. Outputs of a fully connected job, 0: any number [dory: 16].
  uint32_t fully_connected_outputs = 16;
  // 1: an instruction may go over all channels of a depthwise layer [nobody says that it may: DORY sends one for each].
  uint32_t depthwise_loop = 0;

  // Bytes of the weight memory [dory, match].
  uint32_t weight_bytes = 0x10000;
};

// As a `device` line says, by the names of the fields; those above where it says nothing. Raises BadFile for what makes
// no accelerator.
DianaConstants diana_constants(Settings &settings);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_CONSTANTS_H_
