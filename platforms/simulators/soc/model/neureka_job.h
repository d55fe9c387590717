// A job of N-EUREKA: what its 24 registers say, checked, and how it is cut into tiles.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_JOB_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tinsmith::soc {

enum class NeurekaMode : uint8_t { k3x3, kDepthwise, k1x1 };

// Where the engine is: outputs of so many channels, rows and columns, and the part of their input channels.
struct NeurekaTile {
  uint32_t output_channels = 0;
  uint32_t row = 0;
  uint32_t column = 0;
  uint32_t input_channels = 0;
};

struct NeurekaJob {
  static constexpr uint32_t kWords = 24;
  static constexpr uint32_t kSide = 6;          // rows and columns of outputs computed at once
  static constexpr uint32_t kChannels = 32;     // output channels at once, and input channels of 1x1
  static constexpr uint32_t kChannels3x3 = 28;  // input channels at once of 3x3, and all channels of depthwise
  static constexpr uint32_t kWeightWordBytes = 32;

  // In how many tiles a dimension is cut, and the size of the last one.
  struct Cut {
    uint32_t number = 1;
    uint32_t last = 1;

    uint32_t size(uint32_t tile, uint32_t full) const {
      return tile + 1 < number ? full : last;
    }
    uint32_t total(uint32_t full) const {
      return (number - 1) * full + last;
    }
  };

  NeurekaMode mode = NeurekaMode::k3x3;
  bool weights_in_memory = false;  // the weight memory rather than L1
  bool prefetch = false;
  bool signed_input = false;
  uint32_t weight_bits = 8;
  uint32_t weight_offset = 0;  // added to every weight, modulo 2**32

  // Addresses; `input` is that of the padded input's first pixel.
  uint32_t weights = 0;
  uint32_t input = 0;
  uint32_t output = 0;
  uint32_t scales = 0;
  uint32_t biases = 0;

  // In bytes, from one to the next.
  uint32_t input_pixel = 0;
  uint32_t input_row = 0;
  uint32_t output_pixel = 0;
  uint32_t output_row = 0;
  uint32_t weight_channel = 0;

  Cut output_channels;
  Cut input_channels;
  Cut rows;  // of outputs
  Cut columns;

  // Rows and columns of padding around the input, and what it holds.
  uint32_t pad_top = 0;
  uint32_t pad_right = 0;
  uint32_t pad_bottom = 0;
  uint32_t pad_left = 0;
  uint8_t pad_value = 0;

  // Scaling, bias, shift and clipping; otherwise accumulators are the outputs.
  bool normalizes = false;
  bool has_bias = false;
  bool has_relu = false;
  uint32_t scale_bytes = 1;   // 1 or 4
  uint32_t output_bytes = 1;  // 1 or 4
  uint32_t shift = 0;

  bool is_1x1() const {
    return mode == NeurekaMode::k1x1;
  }
  bool is_depthwise() const {
    return mode == NeurekaMode::kDepthwise;
  }
  uint32_t most_inputs() const {
    return is_1x1() ? kChannels : kChannels3x3;
  }
  uint32_t most_outputs() const {
    return is_depthwise() ? kChannels3x3 : kChannels;
  }

  // Parts of the input channels that a tile of outputs needs; depthwise: its own channels only.
  uint32_t input_parts() const {
    return is_depthwise() ? 1 : input_channels.number;
  }

  // Sizes of a tile: output channels, rows and columns of outputs, input channels.
  uint32_t outputs_of(const NeurekaTile &tile) const {
    return output_channels.size(tile.output_channels, most_outputs());
  }
  uint32_t rows_of(const NeurekaTile &tile) const {
    return rows.size(tile.row, kSide);
  }
  uint32_t columns_of(const NeurekaTile &tile) const {
    return columns.size(tile.column, kSide);
  }
  uint32_t inputs_of(const NeurekaTile &tile) const {
    return is_depthwise() ? outputs_of(tile) : input_channels.size(tile.input_channels, most_inputs());
  }

  // Whether the pixel lies in the padding; row and column are those in the tile's input.
  bool is_padding(const NeurekaTile &tile, uint32_t row, uint32_t column) const;

  // Addresses: of a tile's channels of a pixel of its input or output, of a weight word for the tile's output
  // `channel`, of the tile's scales and biases.
  uint32_t input_address(const NeurekaTile &tile, uint32_t row, uint32_t column) const;
  uint32_t output_address(const NeurekaTile &tile, uint32_t row, uint32_t column) const;
  uint32_t weight_address(const NeurekaTile &tile, uint32_t channel, uint32_t word) const;
  uint32_t scale_address(const NeurekaTile &tile) const;
  uint32_t bias_address(const NeurekaTile &tile) const;

  // Goes on to the tile behind: input channels, then columns, rows, output channels. False behind the last one.
  bool advance(NeurekaTile &tile) const;

  // For traces: "3x3 12x12x56 to 64, 8 bits".
  std::string name() const;
};

// Raises Fault, which names the register, what it holds and what was expected, for what N-EUREKA cannot do, and for
// what is not known of it.
NeurekaJob decode_neureka_job(const std::vector<uint32_t> &words);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_JOB_H_
