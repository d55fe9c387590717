#include "platforms/simulators/soc/model/neureka_job.h"

namespace tinsmith::soc {

bool NeurekaJob::is_padding(const NeurekaTile &tile, uint32_t row, uint32_t column) const {
  if (is_1x1()) {
    return false;
  }
  const bool above = kSide * tile.row + row < pad_top;
  const bool left = kSide * tile.column + column < pad_left;
  const bool below = tile.row + 1 == rows.number && row >= rows.last + 2 - pad_bottom;
  const bool right = tile.column + 1 == columns.number && column >= columns.last + 2 - pad_right;
  return above || left || below || right;
}

uint32_t NeurekaJob::input_address(const NeurekaTile &tile, uint32_t row, uint32_t column) const {
  const uint32_t part = is_depthwise() ? tile.output_channels : tile.input_channels;
  return input + (kSide * tile.row + row) * input_row + (kSide * tile.column + column) * input_pixel +
         part * most_inputs();
}

uint32_t NeurekaJob::output_address(const NeurekaTile &tile, uint32_t row, uint32_t column) const {
  return output + (kSide * tile.row + row) * output_row + (kSide * tile.column + column) * output_pixel +
         tile.output_channels * most_outputs() * output_bytes;
}

uint32_t NeurekaJob::weight_address(const NeurekaTile &tile, uint32_t channel, uint32_t word) const {
  if (is_depthwise()) {
    return weights + (tile.output_channels * weight_bits + word) * kWeightWordBytes;
  }
  const uint32_t words = is_1x1() ? 1 : weight_bits;
  return weights + (tile.output_channels * kChannels + channel) * weight_channel +
         (tile.input_channels * words + word) * kWeightWordBytes;
}

uint32_t NeurekaJob::scale_address(const NeurekaTile &tile) const {
  return scales + tile.output_channels * most_outputs() * scale_bytes;
}

uint32_t NeurekaJob::bias_address(const NeurekaTile &tile) const {
  return biases + tile.output_channels * most_outputs() * 4;
}

bool NeurekaJob::advance(NeurekaTile &tile) const {
  if (++tile.input_channels < input_parts()) {
    return true;
  }
  tile.input_channels = 0;
  if (++tile.column < columns.number) {
    return true;
  }
  tile.column = 0;
  if (++tile.row < rows.number) {
    return true;
  }
  tile.row = 0;
  return ++tile.output_channels < output_channels.number;
}

std::string NeurekaJob::name() const {
  const auto number = [](uint32_t value) { return std::to_string(value); };
  const std::string size = number(rows.total(kSide)) + "x" + number(columns.total(kSide)) + "x" +
                           number(input_channels.total(most_inputs())) + " to " +
                           number(output_channels.total(most_outputs()));
  const char *kernel = is_1x1() ? "1x1 " : is_depthwise() ? "depthwise " : "3x3 ";
  return kernel + size + ", " + number(weight_bits) + " bits";
}

}  // namespace tinsmith::soc
