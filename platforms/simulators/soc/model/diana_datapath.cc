#include "platforms/simulators/soc/model/diana_datapath.h"

#include <algorithm>
#include <array>

namespace tinsmith::soc {
namespace {

constexpr uint32_t kSide = DianaInstruction::kSide;

// Accumulators wrap around: sums modulo 2**32.
using Lanes = std::array<uint32_t, kSide>;

int32_t element(const DianaBytes &bytes, uint32_t index) {
  return static_cast<int8_t>(bytes[index ^ kDianaSwap]);
}

int8_t requantize(uint32_t sum, const DianaInstruction &job) {
  const int32_t shifted = static_cast<int32_t>(sum) >> job.shift;
  return static_cast<int8_t>(std::clamp(shifted, job.has_relu ? 0 : INT8_MIN, INT8_MAX));
}

// Four rows of 16 bytes: row b has byte b of the biases, the lowest first.
Lanes biases_at(const DianaBytes &weights, uint32_t address) {
  Lanes biases = {};
  for (uint32_t row = 0; row < DianaInstruction::kBiasRows; ++row) {
    for (uint32_t lane = 0; lane < kSide; ++lane) {
      biases[lane] |= uint32_t{weights[address + kSide * row + (lane ^ kDianaSwap)]} << 8 * row;
    }
  }
  return biases;
}

// Adds a kernel row of an input channel to a row of outputs. line: byte of `input` at which the image's row begins.
void add_pass(const DianaInstruction &job, const DianaBytes &input, uint32_t line, const DianaBytes &weights,
              uint32_t taps, std::vector<Lanes> &sums) {
  for (uint32_t tap = 0; tap < job.kernel_columns; ++tap) {
    std::array<int32_t, kSide> weight;
    for (uint32_t lane = 0; lane < kSide; ++lane) {
      weight[lane] = element(weights, taps + kSide * tap + lane);
    }
    for (uint32_t column = 0; column < sums.size(); ++column) {
      const uint32_t x = column * job.stride + tap - job.pad_columns;  // left of the image: above all columns
      if (x >= job.columns) {
        continue;
      }
      const int32_t value = element(input, line + x);
      for (uint32_t lane = 0; lane < kSide; ++lane) {
        sums[column][lane] += static_cast<uint32_t>(value * weight[lane]);
      }
    }
  }
}

}  // namespace

DianaPlanes convolve(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &weights, uint32_t channel,
                     uint32_t block) {
  const uint32_t first = job.weights + kSide * job.weight_rows() * (block + channel);
  const uint32_t taps = job.kernel_rows * job.kernel_columns;
  const Lanes biases = biases_at(weights, first + kSide * job.inputs * taps);
  const uint32_t pixels = job.output_columns() * job.output_rows;
  DianaPlanes planes(size_t{kSide} * pixels);
  for (uint32_t row = 0; row < job.output_rows; ++row) {
    std::vector<Lanes> sums(job.output_columns(), biases);
    const auto [first_row, end_row] = job.kernel_rows_inside(row);
    for (uint32_t c = 0; c < job.inputs; ++c) {
      for (uint32_t y = first_row; y < end_row; ++y) {
        const uint32_t image_row = row * job.stride + y - job.pad_top;
        const uint32_t line = (c + channel) * job.input_plane + image_row * job.input_row;
        add_pass(job, input, line, weights, first + kSide * (c * taps + y * job.kernel_columns), sums);
      }
    }
    for (uint32_t column = 0; column < sums.size(); ++column) {
      for (uint32_t lane = 0; lane < kSide; ++lane) {
        planes[size_t{lane} * pixels + row * sums.size() + column] = requantize(sums[column][lane], job);
      }
    }
  }
  return planes;
}

// Blocks of 16x16 weights, outputs then inputs; then a bias in 16 bytes for each output, its lowest byte first.
DianaPlanes connect(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &weights,
                    uint32_t first_weight, uint32_t block) {
  const uint32_t first = first_weight + job.weights + DianaInstruction::kBlockBytes * (job.inputs + 1) * block;
  const uint32_t biases = first + DianaInstruction::kBlockBytes * job.inputs;
  DianaPlanes outputs(kSide);
  for (uint32_t k = 0; k < kSide; ++k) {
    uint32_t sum = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      sum |= uint32_t{weights[(biases + kSide * k + byte) ^ kDianaSwap]} << 8 * byte;
    }
    for (uint32_t c = 0; c < kSide * job.inputs; ++c) {
      const uint32_t weight = first + DianaInstruction::kBlockBytes * (c / kSide) + kSide * k + c % kSide;
      sum += static_cast<uint32_t>(element(input, c) * element(weights, weight));
    }
    outputs[k] = requantize(sum, job);
  }
  return outputs;
}

DianaBytes add(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &operand) {
  DianaBytes sums(input.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const int32_t sum = static_cast<int8_t>(input[i]) + static_cast<int8_t>(operand[i]);
    sums[i] = static_cast<uint8_t>(requantize(static_cast<uint32_t>(sum), job));
  }
  return sums;
}

}  // namespace tinsmith::soc
