// An instruction of DIANA's digital accelerator: what its 32 words say, checked.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_INSTRUCTION_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/diana_constants.h"
#include "platforms/simulators/soc/model/diana_l1.h"

namespace tinsmith::soc {

enum class DianaMode : uint8_t { kFullyConnected = 0, kConvolution = 1, kAddition = 3 };

struct DianaInstruction {
  static constexpr uint32_t kWords = 32;
  static constexpr uint32_t kSide = 16;  // of the array: output channels, and columns or inputs
  static constexpr uint32_t kBiasRows = 4;
  static constexpr uint32_t kBlockBytes = kSide * kSide;

  DianaMode mode = DianaMode::kFullyConnected;
  uint32_t weights = 0;        // byte of the weight memory
  uint32_t operand = 0;        // addition: byte of L1 of the first operand
  uint32_t input = 0;          // byte of L1
  uint32_t output = 0;         // likewise
  uint32_t inputs = 0;         // convolution: channels; else vectors of 16 elements
  uint32_t output_blocks = 0;  // of 16 channels
  uint32_t columns = 0;        // of the input, without what pads its rows
  uint32_t rows = 0;
  uint32_t input_row = 0;    // bytes from row to row
  uint32_t input_plane = 0;  // from channel to channel
  uint32_t kernel_columns = 1;
  uint32_t kernel_rows = 1;
  uint32_t column_blocks = 0;  // of 16 output columns
  uint32_t output_rows = 0;
  uint32_t output_plane = 0;  // bytes from channel to channel; fully connected: from 16 to the next
  uint32_t stride = 1;
  uint32_t pad_columns = 0;  // zeros on the left, and on the right
  uint32_t pad_top = 0;
  uint32_t pad_bottom = 0;
  uint32_t shift = 0;
  uint32_t channels = 1;  // depthwise in one instruction: so many, one after the other
  bool has_relu = false;
  bool channels_last = false;  // outputs as the analog accelerator reads them

  uint32_t output_columns() const {
    return kSide * column_blocks;
  }

  // Rows of 16 bytes of a block of 16 output channels: taps, then biases.
  uint32_t weight_rows() const {
    return inputs * kernel_rows * kernel_columns + kBiasRows;
  }

  // Bytes of the weight memory that it reads.
  uint64_t weight_bytes() const;

  // The kernel's rows, from .first to .second - 1, that lie inside the image for a row of outputs.
  std::pair<uint32_t, uint32_t> kernel_rows_inside(uint32_t output_row) const;

  // Its outputs if channels are last.
  DianaPixels output_pixels() const {
    const bool is_convolution = mode == DianaMode::kConvolution;
    return {output, is_convolution ? output_columns() * output_rows : 1, output_blocks};
  }

  // What it reads and writes of L1.
  std::vector<DianaRange> reads() const;
  std::vector<DianaRange> writes(uint32_t bank_bytes) const;

  // Of the array's work, without what loads take.
  uint64_t cycles(const DianaConstants &constants) const;

  // For traces: "conv 3x3 stride 2, 16x32x32 to 32x16x16", channels first.
  std::string name() const;
};

using DianaWords = std::array<uint32_t, DianaInstruction::kWords>;

// Whether it ends a job.
bool stops(const DianaWords &words);

// Raises Fault if it stops but also does something: the sources do not say whether that is done.
void check_diana_stop(const DianaWords &words);

// Raises Fault, which names the word, what it holds and what was expected, for what the accelerator cannot do, and for
// what is not known of it.
DianaInstruction decode_diana_instruction(const DianaWords &words, const DianaConstants &constants);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_INSTRUCTION_H_
