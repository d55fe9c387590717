// What an instruction of DIANA's digital accelerator takes from L1 and brings there.

#include <array>

#include "platforms/simulators/soc/model/diana_engine.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kSide = DianaInstruction::kSide;

}  // namespace

void DianaEngine::execute(AcceleratorPort &port, uint64_t now) {
  switch (instruction_.mode) {
    case DianaMode::kConvolution:
      return convolve_all(port, now);
    case DianaMode::kFullyConnected:
      return connect_all(port, now);
    case DianaMode::kAddition:
      return add_all(port, now);
  }
}

void DianaEngine::convolve_all(AcceleratorPort &port, uint64_t now) {
  const DianaBytes input = read(port, instruction_.reads().front(), now);
  const uint32_t pixels = instruction_.output_columns() * instruction_.output_rows;
  for (uint32_t channel = 0; channel < instruction_.channels; ++channel) {
    for (uint32_t block = 0; block < instruction_.output_blocks; ++block) {
      const DianaPlanes planes = convolve(instruction_, input, weights_, channel, block);
      store(port, planes, pixels, kSide * block + channel, block, now);
    }
  }
}

void DianaEngine::connect_all(AcceleratorPort &port, uint64_t now) {
  const DianaBytes input = read(port, instruction_.reads().front(), now);
  for (uint32_t block = 0; block < instruction_.output_blocks; ++block) {
    const DianaPlanes outputs = connect(instruction_, input, weights_, first_weight(), block);
    store(port, outputs, kSide, block, block, now);
  }
}

void DianaEngine::add_all(AcceleratorPort &port, uint64_t now) {
  const std::vector<DianaRange> operands = instruction_.reads();
  const DianaBytes sums = add(instruction_, read(port, operands[0], now), read(port, operands[1], now));
  port.store(constants_.l1_base + instruction_.output, sums.data(), static_cast<uint32_t>(sums.size()), now);
}

// Planes in ascending order, each to the next place: those of a depthwise channel that mean nothing come after the one
// that does, and the next channel's come over them.
void DianaEngine::store(AcceleratorPort &port, const DianaPlanes &planes, uint32_t plane_bytes, uint32_t first_plane,
                        uint32_t block, uint64_t now) const {
  if (instruction_.channels_last) {
    return store_channels_last(port, planes, block, now);
  }
  DianaBytes plane(plane_bytes);
  uint32_t address = constants_.l1_base + instruction_.output + first_plane * instruction_.output_plane;
  for (size_t first = 0; first < planes.size(); first += plane_bytes) {
    for (uint32_t i = 0; i < plane_bytes; ++i) {
      plane[i ^ kDianaSwap] = static_cast<uint8_t>(planes[first + i]);
    }
    port.store(address, plane.data(), plane_bytes, now);
    address += instruction_.output_plane;
  }
}

void DianaEngine::store_channels_last(AcceleratorPort &port, const DianaPlanes &planes, uint32_t block,
                                      uint64_t now) const {
  const DianaPixels outputs = instruction_.output_pixels();
  const uint32_t pixels = outputs.pixels;
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    std::array<uint8_t, kSide> word;
    for (uint32_t lane = 0; lane < kSide; ++lane) {
      word[lane ^ kDianaSwap] = static_cast<uint8_t>(planes[size_t{lane} * pixels + pixel]);
    }
    const uint32_t offset = outputs.offset(pixel, block, constants_.l1_bank_bytes);
    port.store(constants_.l1_base + outputs.first + offset, word.data(), kSide, now);
  }
}

}  // namespace tinsmith::soc
