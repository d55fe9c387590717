#include "platforms/simulators/soc/model/diana_analog_datapath.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr int32_t kLeastInput = -64;
constexpr int32_t kMostInput = 63;
constexpr int32_t kLeastResult = -32;
constexpr int32_t kMostResult = 31;

int32_t divide_down(int32_t value, int32_t by) {
  const int32_t quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}

int32_t check_input(int32_t value, const DianaAnalogInstruction &layer, const DianaAnalogConstants &constants) {
  if (constants.wide_inputs == 0 && (value < kLeastInput || value > kMostInput)) {
    throw Fault("DIANA analog: an input of " + layer.name() + " is " + std::to_string(value) +
                "; expected -64 to 63, 7 bits (wide_inputs of the chip's file)");
  }
  return std::clamp(value, kLeastInput, kMostInput);
}

// Inputs of an output in the order of the array's rows, zeros in the padding.
class Window {
 public:
  Window(const DianaAnalogInstruction &layer, const DianaAnalogConstants &constants)
      : layer_(layer), constants_(constants), values_(layer.weight_rows()) {
  }

  const std::vector<int32_t> &at(const DianaImage &input, uint32_t output_row, uint32_t output_column) {
    for (uint32_t y = 0; y < layer_.kernel_rows; ++y) {
      for (uint32_t x = 0; x < layer_.kernel_columns; ++x) {
        // Above and left of the image: behind all rows and columns.
        const uint32_t row = output_row * layer_.stride + y - layer_.pad_top;
        const uint32_t column = output_column * layer_.stride + x - layer_.pad_left;
        const bool inside = row < layer_.rows && column < layer_.columns;
        const size_t pixel = size_t{row} * layer_.columns + column;
        for (uint32_t c = 0; c < layer_.channels; ++c) {
          values_[array_row(c, y, x)] = inside ? element(input, pixel, c) : 0;
        }
      }
    }
    return values_;
  }

 private:
  uint32_t array_row(uint32_t c, uint32_t y, uint32_t x) const {
    return constants_.row_order == 0 ? (c * layer_.kernel_rows + y) * layer_.kernel_columns + x
                                     : (y * layer_.kernel_columns + x) * layer_.channels + c;
  }

  int32_t element(const DianaImage &input, size_t pixel, uint32_t c) const {
    return check_input(input[pixel * DianaPixels::kBlock * layer_.input.blocks + c], layer_, constants_);
  }

  const DianaAnalogInstruction &layer_;
  const DianaAnalogConstants &constants_;
  std::vector<int32_t> values_;
};

void add_products(const std::vector<int32_t> &window, const DianaMacro::Weights &weights, std::vector<int32_t> &sums) {
  const size_t columns = std::min<size_t>(weights.columns, sums.size());
  for (uint32_t row = 0; row < window.size(); ++row) {
    const int32_t value = window[row];
    const int8_t *cells = weights.row(row);
    for (size_t k = 0; value != 0 && k < columns; ++k) {
      sums[k] += value * cells[k];
    }
  }
}

int32_t clip_output(int64_t value, const DianaAnalogConstants &constants) {
  const int64_t most = (int64_t{1} << (constants.output_bits - 1)) - 1;
  const int64_t least = constants.symmetric_output != 0 ? -most : -most - 1;
  return static_cast<int32_t>(std::clamp(value, least, most));
}

int8_t process_one(const DianaAnalogInstruction &layer, int64_t value, size_t index, const DianaOperands &operands,
                   const DianaAnalogConstants &constants) {
  if (layer.adds_partial) {
    value += operands.partial[index];
  }
  if (layer.has_scales) {
    const size_t channel = index % (DianaPixels::kBlock * layer.output.blocks);
    const size_t packet = channel / DianaPixels::kBlock * DianaAnalogInstruction::kPacketBytes;
    const size_t scale = packet + (channel % DianaPixels::kBlock ^ kDianaSwap);
    value = value * static_cast<int8_t>(operands.scales[scale]) +
            static_cast<int8_t>(operands.scales[scale + DianaPixels::kBlock]) * (int64_t{1} << layer.offset_shift);
  }
  if (layer.adds_residual) {
    value += operands.residual[index] * (int64_t{1} << layer.residual_shift);
  }
  if (layer.has_relu) {
    value = std::max<int64_t>(value, 0);
  }
  if (layer.quantizes) {
    return static_cast<int8_t>(clip_output(value >> layer.shift, constants));
  }
  return static_cast<int8_t>(std::clamp<int64_t>(value, INT8_MIN, INT8_MAX));
}

}  // namespace

// Box and Muller's method.
double DianaNoise::normal() {
  const double radius = (bits_() + 1.0) / 4294967296.0;  // in (0, 1]
  const double angle = bits_() / 4294967296.0;
  return std::sqrt(-2.0 * std::log(radius)) * std::cos(2.0 * std::numbers::pi * angle);
}

int32_t DianaNoise::disturb(int32_t result) {
  if (divisor_ == 0) {
    return result;
  }
  const double disturbed = std::nearbyint(result + result * normal() / divisor_);
  return static_cast<int32_t>(std::clamp<double>(disturbed, kLeastResult, kMostResult));
}

DianaImage convert(const DianaAnalogInstruction &layer, const DianaImage &input, const DianaMacro::Weights &weights,
                   const DianaAnalogConstants &constants, DianaNoise &noise) {
  DianaImage results;
  Window window(layer, constants);
  for (uint32_t row = 0; row < layer.output_rows; ++row) {
    for (uint32_t column = 0; column < layer.output_columns; ++column) {
      std::vector<int32_t> sums(size_t{DianaPixels::kBlock} * layer.output.blocks);
      add_products(window.at(input, row, column), weights, sums);
      for (const int32_t sum : sums) {
        const int32_t converted = divide_down(sum, static_cast<int32_t>(constants.adc_gain));
        results.push_back(static_cast<int8_t>(noise.disturb(std::clamp(converted, kLeastResult, kMostResult))));
      }
    }
  }
  return results;
}

void process(const DianaAnalogInstruction &layer, DianaImage &results, const DianaOperands &operands,
             const DianaAnalogConstants &constants) {
  for (size_t i = 0; layer.is_processed() && i < results.size(); ++i) {
    results[i] = process_one(layer, results[i], i, operands, constants);
  }
}

}  // namespace tinsmith::soc
