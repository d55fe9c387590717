// An instruction of DIANA's analog accelerator: what its 32 words of 16 bits say, checked.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_INSTRUCTION_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/diana_analog_constants.h"
#include "platforms/simulators/soc/model/diana_l1.h"

namespace tinsmith::soc {

// A convolution; a fully connected layer is one of 1x1 on a pixel.
struct DianaAnalogInstruction {
  static constexpr uint32_t kWords = 32;        // of 16 bits
  static constexpr uint32_t kPacketBytes = 32;  // scales and offsets of 16 outputs

  uint32_t channels = 0;
  uint32_t outputs = 0;
  uint32_t columns = 0;  // of the input
  uint32_t rows = 0;
  uint32_t kernel_columns = 1;
  uint32_t kernel_rows = 1;
  uint32_t output_columns = 0;
  uint32_t output_rows = 0;
  uint32_t row_evaluations = 0;  // of the array, for a row of outputs
  uint32_t unroll = 1;           // columns of outputs that an evaluation gives
  uint32_t stride = 1;
  uint32_t pad_top = 0;
  uint32_t pad_bottom = 0;
  uint32_t pad_left = 0;
  uint32_t pad_right = 0;

  DianaPixels input;
  DianaPixels output;
  DianaPixels partial;   // sums of other channels, that are added if `adds_partial`
  DianaPixels residual;  // likewise if `adds_residual`

  uint32_t first_block = 0;  // of 64 rows of the array: where the layer's begin
  bool loads_weights = false;
  bool loads_scales = false;
  uint32_t first_packet = 0;  // of the memory for scales and offsets
  uint32_t loaded_packets = 0;

  bool adds_partial = false;
  bool has_scales = false;
  bool adds_residual = false;
  bool has_relu = false;
  bool quantizes = false;
  uint32_t shift = 0;
  uint32_t residual_shift = 0;
  uint32_t offset_shift = 0;

  // Rows of the array that hold the layer's weights once.
  uint32_t weight_rows() const {
    return channels * kernel_rows * kernel_columns;
  }

  // Rows that it takes: with copies of its weights, each by `stride` columns of the input farther.
  uint32_t array_rows() const {
    return channels * kernel_rows * (kernel_columns + (unroll - 1) * stride);
  }

  // Bit lines that a load takes from L2, two for each row, rounded up to 32 [dory].
  uint32_t lines() const {
    return (2 * weight_rows() + 31) / 32 * 32;
  }

  // Bytes of a line in L2.
  uint32_t line_bytes(const DianaAnalogConstants &constants) const {
    return (outputs + constants.line_columns - 1) / constants.line_columns * constants.line_columns / 8;
  }

  // Of its loads, from L2.
  uint32_t weight_bytes(const DianaAnalogConstants &constants) const {
    return loads_weights ? lines() * line_bytes(constants) : 0;
  }
  uint32_t scale_bytes() const {
    return loads_scales ? kPacketBytes * loaded_packets : 0;
  }

  bool is_processed() const {
    return adds_partial || has_scales || adds_residual || has_relu || quantizes;
  }

  // What it reads and writes of L1.
  std::vector<DianaRange> reads(uint32_t bank_bytes) const;
  std::vector<DianaRange> writes(uint32_t bank_bytes) const;

  // Of the work without loads.
  uint64_t cycles(const DianaAnalogConstants &constants) const;

  // For traces: "conv 3x3 stride 2, 16x32x32 to 32x16x16", channels first.
  std::string name() const;
};

using DianaHalves = std::array<uint16_t, DianaAnalogInstruction::kWords>;

// Whether it ends a job.
bool stops(const DianaHalves &words);

// Raises Fault if it stops but also says what is to be done: the sources do not say whether that is done.
void check_diana_stop(const DianaHalves &words);

// Raises Fault, which names the word, what it holds and what was expected, for what the accelerator cannot do, and for
// what is not known of it.
DianaAnalogInstruction decode_diana_instruction(const DianaHalves &words, const DianaAnalogConstants &constants);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_INSTRUCTION_H_
