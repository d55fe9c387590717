// From the words of an instruction of DIANA's digital accelerator to what they mean, with all that is checked.

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/diana_instruction.h"

namespace tinsmith::soc {
namespace {

// The words of an instruction, by their numbers [dory].
enum Word : uint32_t {
  kMode,
  kWeights,
  kInput,
  kOutput,
  kInputs,
  kOutputBlocks,
  kColumns,
  kRows,
  kInputRow,
  kInputPlane,
  kKernelColumns,
  kKernelRows,
  kColumnBlocks,
  kOutputRows,
  kActivation,
  kLayout,
  kOutputPlane,
  kDilation,
  kStop,
  kShift,
  kPadding,
  kNonLinear,
  kTileBytes,
  kTileCount,
  kStrided,
  kNorm,
  kInputPrecision,
  kOutputPrecision,
  kFirstUnused,
};

constexpr const char *kNames[] = {
    "mode",
    "weight pointer",
    "input pointer",
    "output pointer",
    "C",
    "K / 16",
    "cx",
    "cy",
    "padded cx",
    "channel size",
    "fx",
    "fy",
    "ox / 16",
    "oy",
    "activation",
    "output layout",
    "output channel size",
    "dilation",
    "stop",
    "shift",
    "zero padding",
    "non-linear function",
    "weight tile size",
    "weight tile count",
    "strided",
    "normalization",
    "input precision",
    "output precision",
};

constexpr uint32_t kAlignment = 16;
constexpr uint32_t kMostCount = 0xFFFF;  // of channels, rows, columns and blocks
constexpr uint32_t kMostShift = 31;

enum Layout : uint32_t { kChannelsLast = 1, kColumnsLast = 2 };

class Decoder {
 public:
  Decoder(const DianaWords &words, const DianaConstants &constants) : words_(words), constants_(constants) {
  }

  DianaInstruction decode() {
    refuse_unused();
    job_.input = pointer(kInput);
    job_.output = pointer(kOutput);
    job_.shift = between(kShift, 0, kMostShift);
    switch (words_[kMode]) {
      case static_cast<uint32_t>(DianaMode::kFullyConnected):
        decode_fully_connected();
        break;
      case static_cast<uint32_t>(DianaMode::kConvolution):
        decode_convolution();
        break;
      case static_cast<uint32_t>(DianaMode::kAddition):
        decode_addition();
        break;
      default:
        refuse(kMode,
               "0 (fully connected), 1 (convolution) or 3 (addition): pooling and the others are not modelled, "
               "as DIANA's public sources never use them");
    }
    check_places();
    return job_;
  }

 private:
  static std::string name(uint32_t word) {
    return word < kFirstUnused ? std::string(" (") + kNames[word] + ")" : "";
  }

  [[noreturn]] void refuse(uint32_t word, const std::string &expected) const {
    throw Fault("DIANA digital: word " + std::to_string(word) + name(word) + " of an instruction holds 0x" +
                hexadecimal(words_[word]) + "; expected " + expected);
  }

  uint32_t between(Word word, uint32_t least, uint32_t most) const {
    if (words_[word] < least || words_[word] > most) {
      refuse(word, std::to_string(least) + " to " + std::to_string(most));
    }
    return words_[word];
  }

  uint32_t multiple(Word word, uint64_t least, const char *of_what) const {
    if (words_[word] % kAlignment != 0 || words_[word] < least) {
      refuse(word, "a multiple of 16, " + std::to_string(least) + " or more: " + of_what);
    }
    return words_[word];
  }

  uint32_t pointer(Word word) const {
    if (words_[word] % kAlignment != 0 || words_[word] >= constants_.l1_bytes) {
      refuse(word, "a multiple of 16 below L1's " + std::to_string(constants_.l1_bytes) + " bytes, relative to L1");
    }
    return words_[word];
  }

  void refuse_unused() const {
    for (uint32_t word : {kNonLinear, kNorm, kInputPrecision, kOutputPrecision}) {
      if (words_[word] != 0) {
        refuse(word, "0 (none; 8 bits): others are not modelled, as DIANA's public sources never use them");
      }
    }
    for (uint32_t word = kFirstUnused; word < DianaInstruction::kWords; ++word) {
      if (words_[word] != 0) {
        refuse(word, "0, as nothing is known of it");
      }
    }
  }

  void refuse_tiles() const {
    if (words_[kTileBytes] != 0 || words_[kTileCount] > 1) {
      refuse(words_[kTileBytes] != 0 ? kTileBytes : kTileCount, "0: weight tiles are not modelled");
    }
  }

  void decode_layout() {
    if (words_[kLayout] != kChannelsLast && words_[kLayout] != kColumnsLast) {
      refuse(kLayout, "1 (channels last, for the analog accelerator) or 2 (columns last)");
    }
    job_.channels_last = words_[kLayout] == kChannelsLast;
    job_.has_relu = between(kActivation, 0, 1) == 1;
  }

  void decode_fully_connected() {
    job_.mode = DianaMode::kFullyConnected;
    refuse_tiles();
    decode_layout();
    job_.weights = multiple(kWeights, 0, "a row of the weight memory");
    job_.inputs = between(kInputs, 1, kMostCount);
    job_.output_blocks = between(kOutputBlocks, 1, kMostCount);
    job_.output_plane = DianaInstruction::kSide;
    const uint32_t most = constants_.fully_connected_outputs / DianaInstruction::kSide;
    if (most != 0 && job_.output_blocks > most) {
      refuse(kOutputBlocks, std::to_string(most) + " at most, as DORY sends: more outputs need a job for each " +
                                std::to_string(constants_.fully_connected_outputs) +
                                " (fully_connected_outputs of the chip's file)");
    }
  }

  void decode_addition() {
    job_.mode = DianaMode::kAddition;
    refuse_tiles();
    if (words_[kActivation] != 0) {
      refuse(kActivation, "0: an addition has no ReLU");
    }
    if (words_[kLayout] != 0 && words_[kLayout] != kColumnsLast) {
      refuse(kLayout, "0 or 2: an addition leaves the layout of its operands");
    }
    job_.operand = pointer(kWeights);
    job_.inputs = between(kInputs, 1, kMostCount);
  }

  uint32_t kernel(Word word) const {
    if (words_[word] > 7 || words_[word] % 2 == 0) {
      refuse(word, "1, 3, 5 or 7");
    }
    return words_[word];
  }

  void decode_convolution() {
    job_.mode = DianaMode::kConvolution;
    decode_layout();
    job_.weights = multiple(kWeights, 0, "a row of the weight memory");
    job_.inputs = between(kInputs, 1, kMostCount);
    job_.output_blocks = between(kOutputBlocks, 1, kMostCount);
    job_.kernel_columns = kernel(kKernelColumns);
    job_.kernel_rows = kernel(kKernelRows);
    job_.stride = between(kStrided, 0, 1) + 1;
    between(kDilation, 0, 1);
    decode_depthwise_loop();
    decode_image();
    decode_padding();
  }

  // Words that DORY leaves alone, given a meaning for the chip that may exist.
  void decode_depthwise_loop() {
    if (words_[kTileCount] <= 1) {
      return refuse_tiles();
    }
    if (constants_.depthwise_loop == 0) {
      refuse(kTileCount,
             "0: depthwise layers need an instruction for each channel (depthwise_loop of the chip's file)");
    }
    job_.channels = between(kTileCount, 1, kMostCount);
    if (job_.inputs != 1 || job_.output_blocks != 1 || job_.channels_last) {
      refuse(kTileCount, "0 but for depthwise layers: C = 1, K / 16 = 1, columns last");
    }
    if (words_[kTileBytes] != DianaInstruction::kSide * job_.weight_rows()) {
      refuse(kTileBytes, std::to_string(DianaInstruction::kSide * job_.weight_rows()) + ", a channel's weights");
    }
  }

  void decode_image() {
    job_.columns = between(kColumns, 1, kMostCount);
    job_.rows = between(kRows, 1, kMostCount);
    job_.column_blocks = between(kColumnBlocks, 1, kMostCount / DianaInstruction::kSide);
    job_.output_rows = between(kOutputRows, 1, kMostCount);
    job_.input_row = multiple(kInputRow, job_.columns, "rows are padded");
    const bool has_planes = job_.inputs > 1 || job_.channels > 1;
    const uint64_t plane = uint64_t{job_.input_row} * job_.rows;
    job_.input_plane = multiple(kInputPlane, has_planes ? plane : 0, "padded cx * cy");
    const uint64_t output_plane = uint64_t{job_.output_columns()} * job_.output_rows;
    job_.output_plane = multiple(kOutputPlane, job_.channels_last ? 0 : output_plane, "ox * oy, ox a multiple of 16");
  }

  // Bits 7:4, by how much ox is padded, change nothing: those columns are written like others.
  void decode_padding() {
    const uint32_t word = words_[kPadding];
    job_.pad_columns = word & 0xF;
    job_.pad_top = word >> 8 & 0xF;
    job_.pad_bottom = word >> 12 & 0xF;
    if (word >> 16 != 0 || job_.pad_columns >= job_.kernel_columns || job_.pad_top >= job_.kernel_rows ||
        job_.pad_bottom >= job_.kernel_rows) {
      refuse(kPadding, "bits 3:0 left and right, 7:4 of ox, 11:8 top, 15:12 bottom, less than the kernel each");
    }
    const uint64_t last = uint64_t{job_.output_rows - 1} * job_.stride + job_.kernel_rows;
    if (last > uint64_t{job_.rows} + job_.pad_top + job_.pad_bottom) {
      refuse(kOutputRows, "no more rows of outputs than cy and the padding give");
    }
  }

  void check_range(const DianaRange &range, uint32_t word, const char *what) const {
    if (range.first + range.bytes > constants_.l1_bytes) {
      refuse(word, std::string("room for ") + std::to_string(range.bytes) + " bytes of " + what + " in L1's " +
                       std::to_string(constants_.l1_bytes));
    }
  }

  // An addition may write over an operand; all others would read what they have written.
  void check_places() const {
    const std::vector<DianaRange> writes = job_.writes(constants_.l1_bank_bytes);
    for (const DianaRange &written : writes) {
      check_range(written, kOutput, "outputs");
    }
    for (const DianaRange &read : job_.reads()) {
      check_range(read, read.first == job_.input ? kInput : kWeights, "inputs");
      for (const DianaRange &written : writes) {
        if (written.meets(read) && !(job_.mode == DianaMode::kAddition && written.first == read.first)) {
          refuse(kOutput, "another place: the " + std::to_string(written.bytes) + " bytes written there" +
                              " meet the inputs, " + std::to_string(read.bytes) + " bytes from 0x" +
                              hexadecimal(read.first) + " of L1");
        }
      }
    }
    const uint64_t end = job_.weights + job_.weight_bytes();
    if (end > constants_.weight_bytes) {
      refuse(kWeights, "room for " + std::to_string(job_.weight_bytes()) + " bytes in the weight memory's " +
                           std::to_string(constants_.weight_bytes));
    }
  }

  const DianaWords &words_;
  const DianaConstants &constants_;
  DianaInstruction job_;
};

}  // namespace

bool stops(const DianaWords &words) {
  return words[kStop] != 0;
}

void check_diana_stop(const DianaWords &words) {
  for (uint32_t word = 0; word < DianaInstruction::kWords; ++word) {
    if (word != kStop && words[word] != 0) {
      throw Fault("DIANA digital: an instruction that stops holds 0x" + hexadecimal(words[word]) + " in word " +
                  std::to_string(word) +
                  "; expected 0 in all words but stop: whether it would still be executed is not known");
    }
  }
}

DianaInstruction decode_diana_instruction(const DianaWords &words, const DianaConstants &constants) {
  return Decoder(words, constants).decode();
}

}  // namespace tinsmith::soc
