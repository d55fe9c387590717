// From the words of a job to what they mean, with all that is checked.

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/neureka_job.h"

namespace tinsmith::soc {
namespace {

// The words of a job, by their numbers.
enum Word : uint32_t {
  kWeights,
  kInput,
  kOutput,
  kScales,
  kShifts,
  kBiases,
  kInputPixel,
  kInputRow,
  kInputThird,
  kOutputWord,
  kOutputPixel,
  kOutputRow,
  kWeightWord,
  kWeightChannel,
  kWeightThird,
  kLastChannels,
  kLastOutputs,
  kLastInputs,
  kChannelTiles,
  kOutputTiles,
  kPadding,
  kWeightOffset,
  kFilterMask,
  kConfiguration,
};

constexpr const char *kNames[] = {
    "weights",         "input",           "output",          "scales",           "shifts",           "biases",
    "input stride 0",  "input stride 1",  "input stride 2",  "output stride 0",  "output stride 1",  "output stride 2",
    "weight stride 0", "weight stride 1", "weight stride 2", "last tile Ko, Ki", "last tile Ho, Wo", "last tile Hi, Wi",
    "tiles Ko, Ki",    "tiles Ho, Wo",    "padding",         "weight offset",    "filter mask",      "configuration",
};

constexpr uint32_t kMostPadding = 2;

[[noreturn]] void refuse(Word word, const std::string &got, const std::string &expected) {
  throw Fault("N-EUREKA: register " + std::to_string(word) + " (" + kNames[word] + ") holds " + got + "; expected " +
              expected);
}

void require(bool holds, Word word, const std::string &got, const std::string &expected) {
  if (!holds) {
    refuse(word, got, expected);
  }
}

void require_between(uint32_t value, uint32_t least, uint32_t most, Word word, const std::string &what) {
  require(least <= value && value <= most, word, what + " " + std::to_string(value),
          "from " + std::to_string(least) + " to " + std::to_string(most));
}

class Decoder {
 public:
  explicit Decoder(const std::vector<uint32_t> &words) : words_(words) {
  }

  NeurekaJob decode() {
    decode_mode();
    decode_outputs();
    decode_addresses();
    decode_tiles();
    decode_padding();
    check_padding_of_last_tiles();
    check_mode_fits_tiles();
    return job_;
  }

 private:
  uint32_t bits(uint32_t low, uint32_t number) const {
    return words_[kConfiguration] >> low & ((1U << number) - 1);
  }

  bool bit(uint32_t number) const {
    return bits(number, 1) != 0;
  }

  void require_bit(uint32_t number, bool wanted, const std::string &why) const {
    require(bit(number) == wanted, kConfiguration, "bit " + std::to_string(number) + " = " + (wanted ? "0" : "1"),
            std::string(wanted ? "1" : "0") + ": " + why);
  }

  void require_value(Word word, uint32_t wanted) const {
    require(words_[word] == wanted, word, "0x" + hexadecimal(words_[word]), "0x" + hexadecimal(wanted));
  }

  void decode_mode() {
    require(bits(0, 3) != 0, kConfiguration, "weights of 1 bit", "2 to 8 bits");
    require(bits(5, 2) != 3, kConfiguration, "mode 3", "0 (3x3), 1 (depthwise) or 2 (1x1)");
    require_bit(3, false, "N-EUREKA has no inputs of 16 bits");
    require_bit(8, false, "N-EUREKA has no stride of 2");
    require_bit(11, false, "N-EUREKA does not round");
    require_bit(14, false, "accumulators that are streamed in are not modelled");
    require_bit(15, true, "weights without the offset of the layer are not modelled; give offset 0");
    require_bit(24, false, "shifts of each channel are not modelled");
    require(bits(27, 5) == 0, kConfiguration, "a bit above 26", "zeros");
    job_.weight_bits = bits(0, 3) + 1;
    job_.mode = static_cast<NeurekaMode>(bits(5, 2));
    job_.weights_in_memory = bit(9);
    job_.prefetch = bit(10);
    job_.signed_input = bit(26);
    job_.weight_offset = words_[kWeightOffset];
  }

  void decode_outputs() {
    const uint32_t scale = bits(12, 2);
    const uint32_t output = bits(21, 2);
    job_.normalizes = bit(4);
    require(output == 0 || output == 2, kConfiguration, "output " + std::to_string(output),
            "0 (8 bits) or 2 (32 bits)");
    require(job_.normalizes || output == 2, kConfiguration, "outputs of 8 bits without normalization",
            "bit 4 (normalization) or outputs of 32 bits");
    require(!job_.normalizes || scale == 0 || scale == 2, kConfiguration, "normalization " + std::to_string(scale),
            "0 (scales of 8 bits) or 2 (of 32 bits)");
    job_.output_bytes = output == 0 ? 1 : 4;
    job_.scale_bytes = scale == 0 ? 1 : 4;
    job_.has_bias = bit(25);
    job_.has_relu = !bit(23);
    job_.shift = bits(16, 5);
  }

  void decode_addresses() {
    require_value(kInputThird, 0);
    require_value(kOutputWord, NeurekaJob::kWeightWordBytes);
    require_value(kWeightWord, NeurekaJob::kWeightWordBytes);
    require_value(kWeightThird, 0);
    require_value(kFilterMask, 0);
    if (job_.is_depthwise()) {
      require_value(kWeightChannel, 0);
    }
    job_.weights = words_[kWeights];
    job_.input = words_[kInput];
    job_.output = words_[kOutput];
    job_.scales = words_[kScales];
    job_.biases = words_[kBiases];
    job_.input_pixel = words_[kInputPixel];
    job_.input_row = words_[kInputRow];
    job_.output_pixel = words_[kOutputPixel];
    job_.output_row = words_[kOutputRow];
    job_.weight_channel = words_[kWeightChannel];
  }

  // upper: of the half of the words that speaks of the dimension.
  NeurekaJob::Cut decode_cut(Word number, Word last, bool upper, uint32_t most, const std::string &what) const {
    const uint32_t shift = upper ? 16 : 0;
    const NeurekaJob::Cut cut = {words_[number] >> shift & 0xFFFF, words_[last] >> shift & 0xFFFF};
    require_between(cut.number, 1, 0xFFFF, number, what);
    require_between(cut.last, 1, most, last, what);
    return cut;
  }

  void decode_tiles() {
    job_.output_channels = decode_cut(kChannelTiles, kLastChannels, true, job_.most_outputs(), "Ko");
    job_.input_channels = decode_cut(kChannelTiles, kLastChannels, false, job_.most_inputs(), "Ki");
    job_.rows = decode_cut(kOutputTiles, kLastOutputs, true, NeurekaJob::kSide, "Ho");
    job_.columns = decode_cut(kOutputTiles, kLastOutputs, false, NeurekaJob::kSide, "Wo");
  }

  void decode_padding() {
    const uint32_t word = words_[kPadding];
    const uint32_t most = job_.is_1x1() ? 0 : kMostPadding;
    job_.pad_top = word >> 28;
    job_.pad_right = word >> 24 & 0xF;
    job_.pad_bottom = word >> 20 & 0xF;
    job_.pad_left = word >> 16 & 0xF;
    job_.pad_value = static_cast<uint8_t>(word);
    require_between(job_.pad_top, 0, most, kPadding, "top");
    require_between(job_.pad_right, 0, most, kPadding, "right");
    require_between(job_.pad_bottom, 0, most, kPadding, "bottom");
    require_between(job_.pad_left, 0, most, kPadding, "left");
    require_between(word & 0xFFFF, 0, 0xFF, kPadding, "value");
  }

  // Only the last tiles know of padding below and to the right.
  void check_padding_of_last_tile(const NeurekaJob::Cut &cut, uint32_t padding, uint32_t last, const char *side) const {
    const uint32_t wanted = cut.last + (job_.is_1x1() ? 0 : 2) - padding;
    require(last == wanted, kLastInputs, std::string(side) + " " + std::to_string(last),
            std::to_string(wanted) + " by the last outputs and the padding");
    require(cut.number == 1 || padding <= cut.last, kPadding, std::string(side) + " padding " + std::to_string(padding),
            "no more than the last tile has outputs: the tile before would see it, too");
  }

  void check_padding_of_last_tiles() const {
    check_padding_of_last_tile(job_.rows, job_.pad_bottom, words_[kLastInputs] >> 16, "Hi");
    check_padding_of_last_tile(job_.columns, job_.pad_right, words_[kLastInputs] & 0xFFFF, "Wi");
  }

  void check_mode_fits_tiles() const {
    if (job_.is_depthwise()) {
      require(words_[kChannelTiles] >> 16 == (words_[kChannelTiles] & 0xFFFF), kChannelTiles, "Ko other than Ki",
              "both the same, since each channel is computed alone");
      require(words_[kLastChannels] >> 16 == (words_[kLastChannels] & 0xFFFF), kLastChannels, "Ko other than Ki",
              "both the same, since each channel is computed alone");
    }
    if (bit(7)) {
      require(job_.is_1x1(), kConfiguration, "bit 7 (linear) in a mode of 3x3", "mode 2 (1x1)");
      require(words_[kOutputTiles] == 0x10001 && words_[kLastOutputs] == 0x10001, kConfiguration,
              "bit 7 (linear) for more than a pixel", "one pixel");
    }
  }

  const std::vector<uint32_t> &words_;
  NeurekaJob job_;
};

}  // namespace

NeurekaJob decode_neureka_job(const std::vector<uint32_t> &words) {
  return Decoder(words).decode();
}

}  // namespace tinsmith::soc
