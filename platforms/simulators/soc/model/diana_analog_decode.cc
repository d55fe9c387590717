// From the words of an instruction of DIANA's analog accelerator to what they mean, with all that is checked.

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/diana_analog_instruction.h"
#include "platforms/simulators/soc/model/diana_analog_words.h"
#include "platforms/simulators/soc/model/diana_macro.h"

namespace tinsmith::soc {
namespace {

using Word = DianaAnalogWord;

// Bits of word 0: what is left out.
enum Skip : uint32_t { kPool = 1, kQuantize = 2, kActivate = 4, kAddResidual = 8, kBatch = 16, kAddPartial = 32 };
constexpr uint32_t kAllSkips = 0x3F;

// What may stand behind the converters, all of it [quantlib-d].
constexpr uint32_t kSequences[] = {
    0,
    kAddPartial,
    kActivate | kQuantize,
    kBatch | kQuantize,
    kAddResidual,
    kAddResidual | kActivate | kQuantize,
    kAddPartial | kBatch | kActivate | kQuantize,
    kBatch | kActivate | kQuantize,
    kBatch | kAddResidual | kActivate | kQuantize,
};

constexpr uint32_t kMostSize = 1023;  // of channels, rows and columns, in ten bits
constexpr uint32_t kMostShift = 31;
constexpr uint32_t kBytesBits = 7;           // of inputs
constexpr uint32_t kReserved24Value = 0x84;  // [imec]
constexpr uint32_t kColumnBlock = 32;        // outputs of a bit of kColumnBlocks
constexpr uint32_t kPixelBlock = 64;         // channels of a processing block
constexpr uint32_t kLayout = 0xF;

constexpr uint32_t divide_up(uint32_t value, uint32_t by) {
  return (value + by - 1) / by;
}

class Decoder {
 public:
  Decoder(const DianaHalves &words, const DianaAnalogConstants &constants) : words_(words), constants_(constants) {
  }

  DianaAnalogInstruction decode() {
    refuse_unknown();
    decode_sequence();
    decode_shape();
    decode_padding();
    decode_array();
    decode_scales();
    decode_places();
    check_places();
    return job_;
  }

 private:
  [[noreturn]] void refuse(Word word, const std::string &expected) const {
    refuse_word(words_, word, expected);
  }

  uint32_t value(Word word) const {
    return words_[static_cast<size_t>(word)];
  }

  uint32_t field(Word word, uint32_t first, uint32_t bits) const {
    return value(word) >> first & ((1U << bits) - 1);
  }

  uint32_t between(Word word, uint32_t least, uint32_t most) const {
    if (value(word) < least || value(word) > most) {
      refuse(word, std::to_string(least) + " to " + std::to_string(most));
    }
    return value(word);
  }

  void refuse_unknown() const {
    for (const Word word : {Word::kUnused1, Word::kRegulator, Word::kUnused30, Word::kUnused31}) {
      if (value(word) != 0) {
        refuse(word, "0, as nothing is known of it");
      }
    }
    if (value(Word::kReserved24) != kReserved24Value) {
      refuse(Word::kReserved24, "0x0084, as all public sources write");
    }
    if (field(Word::kPrecision, 0, 4) != kBytesBits || field(Word::kPrecision, 5, 11) != 0) {
      refuse(Word::kPrecision, "7 in bits 3:0, inputs of 7 bits; others are not modelled");
    }
    if (field(Word::kTiming, 10, 6) != 0) {
      refuse(Word::kTiming, "the unit time in bits 7:0 and the delay in bits 9:8, which change nothing here");
    }
    if (field(Word::kStop, 1, 1) != 0 || field(Word::kStop, 10, 2) != 0 || field(Word::kStop, 12, 4) != kLayout) {
      refuse(Word::kStop,
             "15 in bits 15:12, the layout, and no set-up of the array (bits 1 and 11:10), which needs none here");
    }
    if (field(Word::kAnalog, 0, 5) != 0 || field(Word::kAnalog, 15, 1) != 0) {
      refuse(Word::kAnalog, "0 in bits 4:0, bias and range of the converters: others are not modelled");
    }
    if (value(Word::kLeaky) != 0) {
      refuse(Word::kLeaky, "0: leaky ReLU is not modelled, as nobody says what its threshold is");
    }
  }

  void decode_sequence() {
    if (field(Word::kSkips, 0, 1) == 0) {
      refuse(Word::kSkips, "bit 0 set: pooling is not modelled, as DIANA's public sources never use it");
    }
    if (field(Word::kSkips, 6, 10) != 0) {
      refuse(Word::kSkips, "0 in bits 15:6: kinds of pooling and leaky ReLU are not modelled");
    }
    const uint32_t done = ~value(Word::kSkips) & kAllSkips;
    if (constants_.any_sequence == 0 &&
        std::find(std::begin(kSequences), std::end(kSequences), done) == std::end(kSequences)) {
      refuse(
          Word::kSkips,
          "a sequence that the chip knows: nothing, partial sum, [BN] [residual] ReLU quantization, BN quantization, "
          "residual, partial sum BN ReLU quantization (any_sequence of the chip's file)");
    }
    job_.adds_partial = (done & kAddPartial) != 0;
    job_.has_scales = (done & kBatch) != 0;
    job_.adds_residual = (done & kAddResidual) != 0;
    job_.has_relu = (done & kActivate) != 0;
    job_.quantizes = (done & kQuantize) != 0;
  }

  uint32_t kernel(uint32_t first) const {
    const uint32_t side = field(Word::kKernel, first, 4);
    if (side > 7 || side % 2 == 0 || field(Word::kKernel, 13, 3) != 0) {
      refuse(Word::kKernel, "1, 3, 5 or 7 in bits 3:0 (x) and 7:4 (y)");
    }
    return side;
  }

  void decode_shape() {
    job_.channels = between(Word::kChannels, 1, kMostSize);
    job_.outputs = between(Word::kOutputs, 1, DianaMacro::kColumns);
    job_.columns = between(Word::kColumns, 1, kMostSize);
    job_.rows = between(Word::kRows, 1, kMostSize);
    job_.kernel_columns = kernel(0);
    job_.kernel_rows = kernel(4);
    job_.stride = between(Word::kStride, 1, 2);
    job_.output_rows = between(Word::kOutputRows, 1, kMostSize);
    job_.unroll = field(Word::kUnroll, 0, 4);
    if (value(Word::kUnroll) != 1 && value(Word::kUnroll) != 2 && value(Word::kUnroll) != 4 &&
        value(Word::kUnroll) != 8) {
      refuse(Word::kUnroll, "1, 2, 4 or 8, and no size of residual words");
    }
    const uint32_t counted = between(Word::kOutputColumns, 1, kMostSize);
    job_.row_evaluations = constants_.counts_columns != 0 ? divide_up(counted, job_.unroll) : counted;
    job_.output_columns = constants_.counts_columns != 0 ? counted : counted * job_.unroll;
    if (value(Word::kBlocks) != divide_up(job_.channels, kPixelBlock)) {
      refuse(Word::kBlocks, std::to_string(divide_up(job_.channels, kPixelBlock)) + ", one for each 64 of C");
    }
  }

  void decode_padding() {
    job_.pad_bottom = field(Word::kPadding, 0, 2);
    job_.pad_top = field(Word::kPadding, 2, 2);
    job_.pad_right = field(Word::kPadding, 4, 2);
    job_.pad_left = field(Word::kPadding, 6, 2);
    if (field(Word::kPadding, 8, 8) != 0 || std::max(job_.pad_bottom, job_.pad_top) >= job_.kernel_rows ||
        std::max(job_.pad_left, job_.pad_right) >= job_.kernel_columns) {
      refuse(Word::kPadding, "two bits each of bottom, top, right and left, from the lowest, less than the kernel");
    }
    check_outputs(Word::kOutputRows, job_.output_rows, job_.kernel_rows, job_.rows + job_.pad_top + job_.pad_bottom);
    check_outputs(Word::kOutputColumns, job_.output_columns, job_.kernel_columns,
                  job_.columns + job_.pad_left + job_.pad_right);
  }

  void check_outputs(Word word, uint32_t outputs, uint32_t kernel, uint32_t padded) const {
    if ((outputs - 1) * job_.stride + kernel > padded) {
      refuse(word, "no more outputs than the image and its padding give; there would be " + std::to_string(outputs));
    }
  }

  void decode_array() {
    job_.loads_weights = field(Word::kInits, 13, 1) != 0;
    job_.loads_scales = field(Word::kInits, 14, 1) != 0;
    job_.first_block = field(Word::kInits, 9, 4);
    if (field(Word::kInits, 0, 4) != 5 || field(Word::kInits, 4, 5) != 0 || field(Word::kInits, 15, 1) != 0) {
      refuse(Word::kInits,
             "5 in bits 3:0, partial sums and outputs in bytes, and 0 in bits 8:4: others are not modelled");
    }
    const uint32_t below = DianaMacro::kRows - DianaMacro::kBlockRows * job_.first_block;
    const uint32_t taken = std::max(job_.array_rows(), job_.loads_weights ? job_.lines() / 2 : 0);
    if (taken > below) {
      refuse(Word::kChannels, "no more than the array's rows: the layer takes " + std::to_string(taken) + " of " +
                                  std::to_string(below) + "; split its channels");
    }
    if (job_.outputs * job_.unroll > DianaMacro::kColumns) {
      refuse(Word::kUnroll,
             "no more than the array's 512 columns for " + std::to_string(job_.outputs) + " outputs each");
    }
    if (job_.loads_weights && value(Word::kWeightLines) != job_.lines()) {
      refuse(Word::kWeightLines, std::to_string(job_.lines()) + ", two lines for each row, rounded up to 32");
    }
    check_column_blocks();
  }

  // As many as the outputs need, or more, side by side from one end on.
  void check_column_blocks() const {
    const bool is_low = constants_.low_column_blocks != 0;
    uint32_t used = 0;
    while (used < 16 && field(Word::kColumnBlocks, is_low ? used : 15 - used, 1) != 0) {
      used += 1;
    }
    const uint32_t all = (1U << used) - 1;
    if (used < divide_up(job_.outputs, kColumnBlock) ||
        value(Word::kColumnBlocks) != (is_low ? all : all << (16 - used))) {
      refuse(Word::kColumnBlocks,
             std::string("bits from ") + (is_low ? "0 up" : "15 down") + ", one for each 32 outputs or more");
    }
  }

  void decode_scales() {
    job_.first_packet = value(Word::kPacket);
    job_.loaded_packets = job_.loads_scales ? value(Word::kScalePackets) : 0;
    const uint32_t needed = job_.has_scales ? divide_up(job_.outputs, DianaPixels::kBlock) : 0;
    const uint32_t last = constants_.scale_packets;
    if ((job_.loads_scales || job_.has_scales) && job_.first_packet >= last) {
      refuse(Word::kPacket, "a packet of the " + std::to_string(last) + " for scales");
    }
    if (job_.loads_scales && (job_.loaded_packets == 0 || job_.first_packet + job_.loaded_packets > last)) {
      refuse(Word::kScalePackets, "1 or more packets, of 16 outputs each, that fit behind the first");
    }
    if (job_.has_scales && job_.first_packet + needed > last) {
      refuse(Word::kPacket, "room for the layer's " + std::to_string(needed) + " packets");
    }
    job_.shift = field(Word::kScale, 0, 8);
    job_.residual_shift = field(Word::kScale, 8, 4);
    job_.offset_shift = field(Word::kScale, 12, 4);
    if (job_.shift > kMostShift) {
      refuse(Word::kScale, "a shift of 0 to 31 in bits 7:0");
    }
  }

  DianaPixels pixels(Word word, uint32_t count, uint32_t channels) const {
    return {DianaPixels::kBlock * value(word), count, divide_up(channels, DianaPixels::kBlock)};
  }

  void decode_places() {
    const uint32_t outputs = job_.output_columns * job_.output_rows;
    job_.input = pixels(Word::kInput, job_.columns * job_.rows, job_.channels);
    job_.output = pixels(Word::kOutput, outputs, job_.outputs);
    job_.partial = pixels(Word::kPartial, outputs, job_.outputs);
    job_.residual = pixels(Word::kResidual, outputs, job_.outputs);
  }

  // In several banks a word must not run into the next one.
  void check_place(Word word, const DianaPixels &place) const {
    const uint32_t bank_bytes = constants_.l1_bank_bytes;
    for (const DianaRange &range : place.ranges(bank_bytes)) {
      if (range.first + range.bytes > constants_.l1_bytes) {
        refuse(word, "a word of L1, of 16 bytes, from which " + std::to_string(place.blocks) + " blocks of " +
                         std::to_string(place.pixels) + " pixels lie in banks that there are");
      }
      if (place.blocks > 1 && range.first % bank_bytes + range.bytes > bank_bytes) {
        refuse(word, "room for " + std::to_string(range.bytes) + " bytes in each bank");
      }
    }
  }

  // Element by element a sum may take the place of one of its operands.
  void check_apart(const DianaPixels &read, bool may_be_same) const {
    for (const DianaRange &written : job_.output.ranges(constants_.l1_bank_bytes)) {
      for (const DianaRange &range : read.ranges(constants_.l1_bank_bytes)) {
        if (written.meets(range) && !(may_be_same && read.first == job_.output.first)) {
          refuse(Word::kOutput, "another place: the " + std::to_string(written.bytes) + " bytes written from 0x" +
                                    hexadecimal(written.first) + " of L1 on meet what is read, " +
                                    std::to_string(range.bytes) + " bytes from 0x" + hexadecimal(range.first));
        }
      }
    }
  }

  void check_places() const {
    check_place(Word::kInput, job_.input);
    check_place(Word::kOutput, job_.output);
    check_apart(job_.input, false);
    if (job_.adds_partial) {
      check_place(Word::kPartial, job_.partial);
      check_apart(job_.partial, true);
    }
    if (job_.adds_residual) {
      check_place(Word::kResidual, job_.residual);
      check_apart(job_.residual, true);
    }
  }

  const DianaHalves &words_;
  const DianaAnalogConstants &constants_;
  DianaAnalogInstruction job_;
};

}  // namespace

bool stops(const DianaHalves &words) {
  return (words[static_cast<size_t>(Word::kStop)] & 1) != 0;
}

void check_diana_stop(const DianaHalves &words) {
  for (const Word word : {Word::kInput, Word::kOutput, Word::kChannels, Word::kOutputs, Word::kOutputColumns,
                          Word::kOutputRows, Word::kWeightLines}) {
    if (words[static_cast<size_t>(word)] != 0) {
      refuse_word(words, word, "0 where it stops: whether it would still be executed is not known");
    }
  }
}

DianaAnalogInstruction decode_diana_instruction(const DianaHalves &words, const DianaAnalogConstants &constants) {
  return Decoder(words, constants).decode();
}

}  // namespace tinsmith::soc
