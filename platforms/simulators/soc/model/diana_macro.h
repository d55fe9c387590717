// The array of DIANA's analog accelerator: cells of 1152 rows and 512 columns that hold weights of -1, 0 and 1.
//
// A row is two bit lines, in L2 first the one of the ones, then that of the minus ones; columns from the upper bit of
// each word of 32 bits on. Rows come in reverse order; those that pad come first. A cell's sign is turned where the
// array's place says so: in blocks of 64 rows, even columns but for blocks 6 to 11, odd ones in blocks 0 to 8 [dory].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_MACRO_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_MACRO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/diana_analog_instruction.h"

namespace tinsmith::soc {

class DianaMacro {
 public:
  static constexpr uint32_t kRows = 1152;
  static constexpr uint32_t kColumns = 512;
  static constexpr uint32_t kBlockRows = 64;

  // [rows][columns], of a layer; the last columns are zero if its outputs are no multiple of the line's.
  struct Weights {
    uint32_t columns = 0;
    std::vector<int8_t> values;

    const int8_t *row(uint32_t number) const {
      return values.data() + size_t{number} * columns;
    }
  };

  explicit DianaMacro(const DianaAnalogConstants &constants) : constants_(constants) {
  }

  // Brings an instruction's weights into the rows that it names; what was there is gone. Raises Fault for cells whose
  // two lines are both set.
  void load(const DianaAnalogInstruction &layer, const DianaBytes &lines);

  // Those that were loaded for such a layer at its rows, and are still whole. Raises Fault if there are none.
  const Weights &find(const DianaAnalogInstruction &layer) const;

 private:
  // Rows of the array that a layer took.
  struct Loaded {
    uint32_t first = 0;
    uint32_t rows = 0;
    DianaAnalogInstruction layer;
    Weights weights;
  };

  int8_t cell(const DianaAnalogInstruction &layer, const DianaBytes &lines, uint32_t stream_row, uint32_t column) const;

  const DianaAnalogConstants constants_;
  std::vector<Loaded> loaded_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_MACRO_H_
