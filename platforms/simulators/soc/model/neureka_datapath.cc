#include "platforms/simulators/soc/model/neureka_datapath.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tinsmith::soc {
namespace {

constexpr uint32_t kLane = NeurekaJob::kChannels;
constexpr uint32_t kGroup = 4;  // channels whose bits of a weight are neighbours

int16_t extend(uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<int8_t>(byte) : byte;
}

uint32_t nibble(const uint8_t *word, uint32_t index) {
  return word[index / 2] >> (4 * (index % 2)) & 0xF;
}

// Of `count` products, which fit 32 bits: 96 * 255 * 255 at most.
template <uint32_t count>
int32_t dot(const int16_t *inputs, const int16_t *weights) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    sum += inputs[i] * weights[i];
  }
  return sum;
}

// Four bits as four lanes of 16 bits, the lowest first.
constexpr std::array<uint64_t, 16> spread_nibbles() {
  std::array<uint64_t, 16> lanes = {};
  for (uint32_t value = 0; value < lanes.size(); ++value) {
    for (uint32_t i = 0; i < kGroup; ++i) {
      lanes[value] |= uint64_t{value >> i & 1} << (16 * i);
    }
  }
  return lanes;
}

constexpr std::array<uint64_t, 16> kLanes = spread_nibbles();

}  // namespace

void NeurekaInputs::clear() {
  rows_ = {};
  totals_ = {};
}

void NeurekaInputs::set(uint32_t row, uint32_t column, const uint8_t *bytes, uint32_t channels, bool is_signed) {
  int16_t *pixel = rows_[row].data() + column * kChannels;
  std::transform(bytes, bytes + channels, pixel, [is_signed](uint8_t byte) { return extend(byte, is_signed); });
  totals_[row * kSide + column] = std::accumulate(pixel, pixel + channels, int32_t{0});
}

void NeurekaInputs::fill(uint32_t row, uint32_t column, uint8_t value, uint32_t channels, bool is_signed) {
  const int16_t input = extend(value, is_signed);
  std::fill_n(rows_[row].data() + column * kChannels, channels, input);
  totals_[row * kSide + column] = static_cast<int32_t>(channels) * input;
}

void NeurekaWeights::clear() {
  values_ = {};
}

// One bit of the weights of four channels, which are neighbours in 64 bits of a little-endian host.
void NeurekaWeights::add(uint32_t tap, uint32_t group, uint32_t nibble, uint32_t bit) {
  int16_t *values = values_.data() + tap * kLane + kGroup * group;
  uint64_t lanes;
  std::memcpy(&lanes, values, sizeof lanes);
  lanes |= kLanes[nibble] << bit;
  std::memcpy(values, &lanes, sizeof lanes);
}

void NeurekaWeights::add_bit_3x3(const uint8_t *word, uint32_t bit) {
  constexpr uint32_t kGroups = NeurekaJob::kChannels3x3 / kGroup;
  for (uint32_t tap = 0; tap < 9; ++tap) {
    for (uint32_t group = 0; group < kGroups; ++group) {
      add(tap, group, nibble(word, tap * kGroups + group), bit);
    }
  }
}

void NeurekaWeights::add_word_1x1(const uint8_t *word, uint32_t bits) {
  for (uint32_t group = 0; group < kLane / kGroup; ++group) {
    for (uint32_t bit = 0; bit < bits; ++bit) {
      add(0, group, nibble(word, group * 8 + bit), bit);
    }
  }
}

void NeurekaAccumulators::clear() {
  sums_ = {};
}

void NeurekaAccumulators::add_3x3(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights,
                                  uint32_t offset, uint32_t rows, uint32_t columns) {
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      uint32_t &sum = sums_[channel][row * kSide + column];
      for (uint32_t tap = 0; tap < 3; ++tap) {
        const int16_t *window = inputs.row(row + tap).data() + column * kLane;
        const int32_t total =
            inputs.total(row + tap, column) + inputs.total(row + tap, column + 1) + inputs.total(row + tap, column + 2);
        sum += static_cast<uint32_t>(dot<3 * kLane>(window, weights.taps(tap)));
        sum += offset * static_cast<uint32_t>(total);
      }
    }
  }
}

void NeurekaAccumulators::add_depthwise(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights,
                                        uint32_t offset, uint32_t rows, uint32_t columns) {
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      uint32_t &sum = sums_[channel][row * kSide + column];
      for (uint32_t tap = 0; tap < 9; ++tap) {
        const auto input = static_cast<uint32_t>(inputs.row(row + tap / 3)[(column + tap % 3) * kLane + channel]);
        const auto weight = static_cast<uint32_t>(weights.taps(tap / 3)[tap % 3 * kLane + channel]);
        sum += input * (weight + offset);
      }
    }
  }
}

void NeurekaAccumulators::add_1x1(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights,
                                  uint32_t offset, uint32_t rows, uint32_t columns) {
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      const int16_t *pixel = inputs.row(row).data() + column * kLane;
      sums_[channel][row * kSide + column] += static_cast<uint32_t>(dot<kLane>(pixel, weights.taps(0))) +
                                              offset * static_cast<uint32_t>(inputs.total(row, column));
    }
  }
}

void NeurekaAccumulators::scale(uint32_t channel, uint32_t factor) {
  for (uint32_t &sum : sums_[channel]) {
    sum *= factor;
  }
}

void NeurekaAccumulators::add_bias(uint32_t channel, uint32_t bias) {
  for (uint32_t &sum : sums_[channel]) {
    sum += bias;
  }
}

uint32_t NeurekaAccumulators::output(uint32_t channel, uint32_t row, uint32_t column, const NeurekaJob &job) const {
  const auto sum = static_cast<int32_t>(sums_[channel][row * kSide + column]);
  if (!job.normalizes) {
    return static_cast<uint32_t>(sum);
  }
  const int32_t shifted = (job.has_relu ? std::max(sum, 0) : sum) >> job.shift;
  if (job.output_bytes == 4) {
    return static_cast<uint32_t>(shifted);
  }
  return static_cast<uint32_t>(job.has_relu ? std::min(shifted, 255) : std::clamp(shifted, -128, 127));
}

}  // namespace tinsmith::soc
