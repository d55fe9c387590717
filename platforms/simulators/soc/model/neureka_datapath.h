// What N-EUREKA computes with: the inputs of a tile, the weights of an output channel, the accumulators.
//
// A tile has up to 8x8 pixels of up to 32 input channels and 6x6 pixels of up to 32 output channels.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_DATAPATH_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_DATAPATH_H_

#include <array>
#include <cstdint>

#include "platforms/simulators/soc/model/neureka_job.h"

namespace tinsmith::soc {

// The inputs of a tile. Channels that it does not have are 0, so that they add nothing.
class NeurekaInputs {
 public:
  static constexpr uint32_t kSide = NeurekaJob::kSide + 2;
  static constexpr uint32_t kChannels = NeurekaJob::kChannels;

  using Row = std::array<int16_t, kSide * kChannels>;  // a pixel's channels, then the next pixel's

  void clear();
  void set(uint32_t row, uint32_t column, const uint8_t *bytes, uint32_t channels, bool is_signed);
  void fill(uint32_t row, uint32_t column, uint8_t value, uint32_t channels, bool is_signed);

  const Row &row(uint32_t row) const {
    return rows_[row];
  }

  // The sum of a pixel's channels, which weights' offset multiplies.
  int32_t total(uint32_t row, uint32_t column) const {
    return totals_[row * kSide + column];
  }

 private:
  std::array<Row, kSide> rows_ = {};
  std::array<int32_t, kSide * kSide> totals_ = {};
};

// The weights of one output channel without their offset, as the words of 256 bits give them: of 3x3 and depthwise the
// word of each bit holds [9 taps][28 channels]; that of 1x1 holds [8 groups][8 bits][4 channels]; the lowest bit first.
class NeurekaWeights {
 public:
  void clear();
  void add_bit_3x3(const uint8_t *word, uint32_t bit);
  void add_word_1x1(const uint8_t *word, uint32_t bits);

  // Taps as they meet three rows of NeurekaInputs: [tap][channel].
  const int16_t *taps(uint32_t row) const {
    return values_.data() + row * 3 * NeurekaJob::kChannels;
  }

 private:
  void add(uint32_t tap, uint32_t group, uint32_t nibble, uint32_t bit);

  std::array<int16_t, 9 * NeurekaJob::kChannels> values_ = {};
};

// Accumulators of 32 bits, which wrap around: the hardware's arithmetic, modulo 2**32.
class NeurekaAccumulators {
 public:
  static constexpr uint32_t kSide = NeurekaJob::kSide;

  void clear();

  // Adds the inputs' part of output `channel` for rows x columns pixels; each weight is its value + offset.
  void add_3x3(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights, uint32_t offset,
               uint32_t rows, uint32_t columns);
  void add_depthwise(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights, uint32_t offset,
                     uint32_t rows, uint32_t columns);
  void add_1x1(uint32_t channel, const NeurekaInputs &inputs, const NeurekaWeights &weights, uint32_t offset,
               uint32_t rows, uint32_t columns);

  void scale(uint32_t channel, uint32_t factor);
  void add_bias(uint32_t channel, uint32_t bias);

  // What is stored: the accumulator itself, or shifted and clipped as the job says.
  uint32_t output(uint32_t channel, uint32_t row, uint32_t column, const NeurekaJob &job) const;

 private:
  std::array<std::array<uint32_t, kSide * kSide>, NeurekaJob::kChannels> sums_ = {};
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_DATAPATH_H_
