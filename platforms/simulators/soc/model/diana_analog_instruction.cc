#include "platforms/simulators/soc/model/diana_analog_instruction.h"

namespace tinsmith::soc {

std::vector<DianaRange> DianaAnalogInstruction::reads(uint32_t bank_bytes) const {
  std::vector<DianaRange> found = input.ranges(bank_bytes);
  for (const auto &[is_read, pixels] : {std::pair{adds_partial, partial}, std::pair{adds_residual, residual}}) {
    if (is_read) {
      const std::vector<DianaRange> more = pixels.ranges(bank_bytes);
      found.insert(found.end(), more.begin(), more.end());
    }
  }
  return found;
}

std::vector<DianaRange> DianaAnalogInstruction::writes(uint32_t bank_bytes) const {
  return output.ranges(bank_bytes);
}

uint64_t DianaAnalogInstruction::cycles(const DianaAnalogConstants &constants) const {
  const bool is_pointwise = kernel_rows == 1 && kernel_columns == 1;
  const uint64_t evaluations = uint64_t{output_rows} * row_evaluations;
  const uint64_t vectors = is_processed() ? uint64_t{output.pixels} * output.blocks : 0;
  return evaluations * (is_pointwise ? constants.evaluation_1x1 : constants.evaluation) +
         vectors * constants.post_vector;
}

std::string DianaAnalogInstruction::name() const {
  const auto number = [](uint32_t value) { return std::to_string(value); };
  return "conv " + number(kernel_rows) + "x" + number(kernel_columns) + (stride == 2 ? " stride 2, " : ", ") +
         number(channels) + "x" + number(rows) + "x" + number(columns) + " to " + number(outputs) + "x" +
         number(output_rows) + "x" + number(output_columns);
}

}  // namespace tinsmith::soc
