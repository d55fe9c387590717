// What DIANA's analog array computes, and what is behind its converters: sums of products of inputs of 7 bits and
// weights of -1, 0 and 1, each sum divided by the converters' step, rounded down and clipped to 6 bits; then what an
// instruction says of partial sums, scale and offset of each output, a residual, ReLU, and a shift to the right that
// rounds down, with a clip [HTVM's pattern, quantlib-d].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_DATAPATH_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_DATAPATH_H_

#include <cstdint>
#include <random>
#include <vector>

#include "platforms/simulators/soc/model/diana_analog_instruction.h"
#include "platforms/simulators/soc/model/diana_macro.h"

namespace tinsmith::soc {

// [pixels][16 * blocks], as int8.
using DianaImage = std::vector<int8_t>;

// What disturbs the converters: the same for the same seed.
class DianaNoise {
 public:
  explicit DianaNoise(const DianaAnalogConstants &constants) : divisor_(constants.noise), bits_(constants.noise_seed) {
  }

  // A converter's result, in [-32, 31].
  int32_t disturb(int32_t result);

 private:
  double normal();

  uint32_t divisor_;
  std::mt19937 bits_;
};

// The converters' results, in [-32, 31]; outputs beyond the layer's are of columns without weights. Raises Fault for
// inputs that are not of 7 bits, unless the chip clips them.
DianaImage convert(const DianaAnalogInstruction &layer, const DianaImage &input, const DianaMacro::Weights &weights,
                   const DianaAnalogConstants &constants, DianaNoise &noise);

// What is added and multiplied behind them. scales: an instruction's packets, 16 scales and 16 offsets each, as int8.
struct DianaOperands {
  DianaImage partial;
  DianaBytes scales;
  DianaImage residual;
};

// In place.
void process(const DianaAnalogInstruction &layer, DianaImage &results, const DianaOperands &operands,
             const DianaAnalogConstants &constants);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_DATAPATH_H_
