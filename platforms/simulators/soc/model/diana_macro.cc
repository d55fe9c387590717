#include "platforms/simulators/soc/model/diana_macro.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

// Whether the array turns the sign of a cell [dory].
bool is_turned(uint32_t row, uint32_t column) {
  const uint32_t block = row / DianaMacro::kBlockRows;
  return column % 2 == 0 ? block < 6 || block > 11 : block <= 8;
}

bool bit(const DianaBytes &lines, size_t line, uint32_t column) {
  return (lines[(line + column / 8) ^ kDianaSwap] >> (7 - column % 8) & 1) != 0;
}

bool same_weights(const DianaAnalogInstruction &one, const DianaAnalogInstruction &other) {
  return one.channels == other.channels && one.outputs == other.outputs && one.kernel_rows == other.kernel_rows &&
         one.kernel_columns == other.kernel_columns && one.unroll == other.unroll &&
         one.array_rows() == other.array_rows() && one.first_block == other.first_block;
}

}  // namespace

int8_t DianaMacro::cell(const DianaAnalogInstruction &layer, const DianaBytes &lines, uint32_t stream_row,
                        uint32_t column) const {
  const size_t line_bytes = layer.line_bytes(constants_);
  const bool plus = bit(lines, 2 * line_bytes * stream_row, column);
  const bool minus = bit(lines, 2 * line_bytes * stream_row + line_bytes, column);
  const uint32_t row = layer.first_block * kBlockRows + stream_row;
  if (plus && minus) {
    throw Fault("DIANA analog: both lines are set of the cell in row " + std::to_string(row) + " and column " +
                std::to_string(column) + " of the array; expected one of them, or none");
  }
  const int value = int{plus} - int{minus};
  return static_cast<int8_t>(constants_.sign_pattern != 0 && is_turned(row, column) ? -value : value);
}

void DianaMacro::load(const DianaAnalogInstruction &layer, const DianaBytes &lines) {
  const uint32_t first = layer.first_block * kBlockRows;
  const uint32_t stream_rows = layer.lines() / 2;
  const uint32_t rows = std::max(stream_rows, layer.array_rows());
  std::erase_if(loaded_, [&](const Loaded &old) { return first < old.first + old.rows && old.first < first + rows; });
  Weights weights;
  weights.columns = 8 * layer.line_bytes(constants_);
  for (uint32_t row = 0; row < layer.weight_rows(); ++row) {
    for (uint32_t column = 0; column < weights.columns; ++column) {
      weights.values.push_back(cell(layer, lines, stream_rows - 1 - row, column));
    }
  }
  loaded_.push_back({first, rows, layer, std::move(weights)});
}

const DianaMacro::Weights &DianaMacro::find(const DianaAnalogInstruction &layer) const {
  for (const Loaded &one : loaded_) {
    if (same_weights(one.layer, layer)) {
      return one.weights;
    }
  }
  throw Fault("DIANA analog: " + layer.name() + " finds no weights of such a layer from row " +
              std::to_string(layer.first_block * kBlockRows) +
              " of the array on; load them (bit 13 of word 19), and load no others over them");
}

}  // namespace tinsmith::soc
