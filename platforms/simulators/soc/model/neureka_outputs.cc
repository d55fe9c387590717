// What N-EUREKA does with a tile's sums: scales, biases, and the way out.

#include <algorithm>
#include <array>

#include "platforms/simulators/soc/model/neureka.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kWordBytes = 32;
constexpr uint32_t kBiasesAtOnce = kWordBytes / 4;

// Little-endian.
uint32_t word_of(const uint8_t *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t{bytes[3]} << 24;
}

}  // namespace

// Four bytes a cycle: one scale or four.
void Neureka::read_scales(AcceleratorPort &port, uint64_t now) {
  std::array<uint8_t, 4> bytes = {};
  const uint32_t most = job_.scale_bytes == 1 ? 4 : 1;
  const uint32_t scales = std::min(most, job_.outputs_of(tile_) - channel_);
  const uint32_t address = job_.scale_address(tile_) + channel_ * job_.scale_bytes;
  time_ = now + 1 + port.load(address, bytes.data(), scales * job_.scale_bytes, now);
  for (uint32_t i = 0; i < scales; ++i) {
    accumulators_.scale(channel_++, job_.scale_bytes == 1 ? bytes[i] : word_of(bytes.data()));
  }
  if (channel_ == job_.outputs_of(tile_)) {
    channel_ = 0;
    enter(Phase::kBiases, time_ + timing_.scale_end);
  }
}

void Neureka::read_biases(AcceleratorPort &port, uint64_t now) {
  if (!job_.has_bias) {
    return end_biases(now + timing_.bias_accesses);
  }
  std::array<uint8_t, kWordBytes> bytes;
  const uint32_t biases = std::min(kBiasesAtOnce, job_.outputs_of(tile_) - channel_);
  time_ = now + 1 + port.load(job_.bias_address(tile_) + 4 * channel_, bytes.data(), 4 * biases, now);
  for (uint32_t i = 0; i < biases; ++i) {
    accumulators_.add_bias(channel_++, word_of(bytes.data() + 4 * i));
  }
  if (channel_ == job_.outputs_of(tile_)) {
    const uint32_t accesses = (channel_ + kBiasesAtOnce - 1) / kBiasesAtOnce;
    end_biases(time_ + std::max(timing_.bias_accesses, accesses) - accesses);
  }
}

void Neureka::end_biases(uint64_t now) {
  begin_outputs(now + timing_.bias_end);
}

void Neureka::begin_outputs(uint64_t now) {
  pixel_ = 0;
  word_ = 0;
  enter(Phase::kOutputs, now);
}

// A pixel's bytes, or eight of its words, a cycle.
void Neureka::store_outputs(AcceleratorPort &port, uint64_t now) {
  std::array<uint8_t, kWordBytes> bytes;
  const uint32_t row = pixel_ / job_.columns_of(tile_);
  const uint32_t column = pixel_ % job_.columns_of(tile_);
  const uint32_t most = kWordBytes / job_.output_bytes;
  const uint32_t first = word_ * most;
  const uint32_t channels = std::min(most, job_.outputs_of(tile_) - first);
  for (uint32_t i = 0; i < channels * job_.output_bytes; ++i) {
    const uint32_t output = accumulators_.output(first + i / job_.output_bytes, row, column, job_);
    bytes[i] = static_cast<uint8_t>(output >> (8 * (i % job_.output_bytes)));
  }
  const uint32_t address = job_.output_address(tile_, row, column) + word_ * kWordBytes;
  time_ = now + 1 + port.store(address, bytes.data(), channels * job_.output_bytes, now);
  word_ += 1;
  if (first + channels < job_.outputs_of(tile_)) {
    return;
  }
  word_ = 0;
  if (++pixel_ == job_.rows_of(tile_) * job_.columns_of(tile_)) {
    end_tile(time_ + (job_.is_1x1() ? timing_.store_end_1x1 : 0));
  }
}

}  // namespace tinsmith::soc
