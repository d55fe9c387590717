#include "platforms/simulators/soc/model/diana_instruction.h"

#include <algorithm>

namespace tinsmith::soc {

uint64_t DianaInstruction::weight_bytes() const {
  switch (mode) {
    case DianaMode::kConvolution:
      return uint64_t{kSide} * weight_rows() * output_blocks * channels;
    case DianaMode::kFullyConnected:
      return uint64_t{kBlockBytes} * (uint64_t{inputs} + 1) * output_blocks;
    case DianaMode::kAddition:
      break;
  }
  return 0;
}

std::pair<uint32_t, uint32_t> DianaInstruction::kernel_rows_inside(uint32_t output_row) const {
  const int64_t top = int64_t{output_row} * stride - pad_top;  // of the image, where the kernel's first row lies
  const int64_t first = std::clamp<int64_t>(-top, 0, kernel_rows);
  const int64_t end = std::clamp<int64_t>(rows - top, first, kernel_rows);
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(end)};
}

std::vector<DianaRange> DianaInstruction::reads() const {
  if (mode == DianaMode::kAddition) {
    return {{input, uint64_t{kSide} * inputs}, {operand, uint64_t{kSide} * inputs}};
  }
  if (mode == DianaMode::kFullyConnected) {
    return {{input, uint64_t{kSide} * inputs}};
  }
  const uint64_t planes = std::max(inputs, channels);
  return {{input, (planes - 1) * input_plane + uint64_t{input_row} * rows}};
}

std::vector<DianaRange> DianaInstruction::writes(uint32_t bank_bytes) const {
  if (mode == DianaMode::kAddition) {
    return {{output, uint64_t{kSide} * inputs}};
  }
  if (channels_last) {
    return output_pixels().ranges(bank_bytes);
  }
  const bool is_convolution = mode == DianaMode::kConvolution;
  const uint64_t planes = is_convolution ? uint64_t{kSide} * output_blocks + channels - 1 : output_blocks;
  return {{output, (planes - 1) * output_plane + (is_convolution ? uint64_t{output_columns()} * output_rows : kSide)}};
}

uint64_t DianaInstruction::cycles(const DianaConstants &constants) const {
  if (mode == DianaMode::kAddition) {
    return uint64_t{constants.add_vector} * inputs;
  }
  if (mode == DianaMode::kFullyConnected) {
    return uint64_t{output_blocks} * (inputs + constants.fully_connected_end);
  }
  const uint64_t block_end = constants.block_end + (stride == 2 ? constants.strided_block : 0);
  uint64_t column = 0;  // of blocks
  for (uint32_t row = 0; row < output_rows; ++row) {
    const auto [first, end] = kernel_rows_inside(row);
    column += uint64_t{inputs} * (end - first) * (kernel_columns + constants.pass_begin) + block_end;
  }
  return column * column_blocks * output_blocks * channels;
}

std::string DianaInstruction::name() const {
  const auto number = [](uint32_t value) { return std::to_string(value); };
  if (mode == DianaMode::kAddition) {
    return "add " + number(kSide * inputs);
  }
  if (mode == DianaMode::kFullyConnected) {
    return "fully connected " + number(kSide * inputs) + " to " + number(kSide * output_blocks);
  }
  const std::string outputs = number(channels > 1 ? channels : kSide * output_blocks);
  return "conv " + number(kernel_rows) + "x" + number(kernel_columns) + (stride == 2 ? " stride 2, " : ", ") +
         number(std::max(inputs, channels)) + "x" + number(rows) + "x" + number(columns) + " to " + outputs + "x" +
         number(output_rows) + "x" + number(output_columns());
}

}  // namespace tinsmith::soc
