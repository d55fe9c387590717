#include "platforms/simulators/soc/model/diana_analog_engine.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

using Register = DianaAnalogRegister;

constexpr uint32_t kInstructionBytes = 2 * DianaAnalogInstruction::kWords;

// Timing of the converters, and the bits that are on: what all public sources write, or nearly [dory].
constexpr uint32_t kControl[] = {0x3000000, 0x303001F};

void check_configuration(const DianaConfiguration &words) {
  for (size_t word = 0; word < words.size(); ++word) {
    const uint32_t expected = word < std::size(kControl) ? kControl[word] : 0;
    if (words[word] != expected) {
      throw Fault("DIANA analog: word " + std::to_string(word) + " of the configuration holds 0x" +
                  hexadecimal(words[word]) + "; expected 0x" + hexadecimal(expected) +
                  " as DORY writes: what others do is not public");
    }
  }
}

}  // namespace

void DianaAnalogEngine::begin(const DianaJob &job, uint64_t now) {
  DianaArray::begin(job, now);
  program_.clear();
  next_weights_ = job.get(Register::kWeightAddress);
  next_scales_ = job.get(Register::kScaleAddress);
}

void DianaAnalogEngine::load_configuration(AcceleratorPort &port, uint64_t now) {
  check_configuration(configuration_at(port, job_.get(Register::kConfigurationAddress), now));
  phase_ = Phase::kInstructions;
  // And the load of activations, which there are none of.
  next_ = now + load_cycles(4 * job_.get(Register::kInstructionWords)) + load_cycles(0);
}

void DianaAnalogEngine::load_instructions(AcceleratorPort &port, uint64_t now) {
  std::vector<DianaHalves> words(4 * job_.get(Register::kInstructionWords) / kInstructionBytes);
  uint32_t address = job_.get(Register::kInstructionAddress);
  for (DianaHalves &instruction : words) {
    port.load(address, reinterpret_cast<uint8_t *>(instruction.data()), kInstructionBytes, now);
    address += kInstructionBytes;
  }
  decode_program(words);
  port.part("set-up", "set-up", part_began_, now, track_);
  begin_instruction(now);
}

// The first runs in any case, as in the digital accelerator.
void DianaAnalogEngine::decode_program(const std::vector<DianaHalves> &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && stops(words[i])) {
      return check_diana_stop(words[i]);
    }
    program_.push_back(decode_diana_instruction(words[i], constants_));
  }
  throw Fault("DIANA analog: the job has " + std::to_string(words.size()) +
              " instructions, none of which stops it; expected another one behind them with nothing but stop");
}

void DianaAnalogEngine::begin_instruction(uint64_t now) {
  const DianaAnalogInstruction &layer = instruction();
  phase_ = Phase::kWeights;
  part_began_ = now;
  const uint64_t lines = layer.loads_weights ? uint64_t{layer.lines()} * constants_.line_write : 0;
  next_ = now + (next_instruction_ == 0 ? 0 : constants_.instruction_begin) + load_cycles(0) + lines +
          load_cycles(layer.scale_bytes());
}

// address: behind what is loaded, then.
DianaBytes DianaAnalogEngine::load(AcceleratorPort &port, uint32_t &address, uint32_t bytes, uint64_t now) const {
  DianaBytes loaded(bytes);
  if (bytes != 0) {
    port.load(address, loaded.data(), bytes, now);
  }
  address += bytes;
  return loaded;
}

void DianaAnalogEngine::load_weights(AcceleratorPort &port, uint64_t now) {
  const DianaAnalogInstruction &layer = instruction();
  const uint32_t bytes = layer.weight_bytes(constants_);
  const DianaBytes lines = load(port, next_weights_, bytes, now);
  if (layer.loads_weights) {
    macro_.load(layer, lines);
  }
  const DianaBytes scales = load(port, next_scales_, layer.scale_bytes(), now);
  std::copy(scales.begin(), scales.end(),
            scales_.begin() + size_t{DianaAnalogInstruction::kPacketBytes} * layer.first_packet);
  std::fill_n(scales_loaded_.begin() + layer.first_packet, layer.loaded_packets, true);
  port.part("weights", "weights " + std::to_string(bytes + layer.scale_bytes()) + " B", part_began_, now, track_);
  macro_.find(layer);
  part_began_ = now;
  phase_ = Phase::kCompute;
  next_ = now + layer.cycles(constants_);
}

DianaBytes DianaAnalogEngine::scales_of(const DianaAnalogInstruction &layer) const {
  for (uint32_t packet = layer.first_packet; packet < layer.first_packet + layer.output.blocks; ++packet) {
    if (!scales_loaded_[packet]) {
      throw Fault("DIANA analog: " + layer.name() + " reads packet " + std::to_string(packet) +
                  " of the scales, which was not loaded (bit 14 of word 19)");
    }
  }
  const auto first = scales_.begin() + size_t{DianaAnalogInstruction::kPacketBytes} * layer.first_packet;
  return {first, first + size_t{DianaAnalogInstruction::kPacketBytes} * layer.output.blocks};
}

DianaImage DianaAnalogEngine::read_image(AcceleratorPort &port, const DianaPixels &place, uint64_t now) const {
  const std::vector<DianaRange> ranges = place.ranges(constants_.l1_bank_bytes);
  std::vector<DianaBytes> banks;
  for (const DianaRange &range : ranges) {
    banks.push_back(read(port, range, now));
  }
  DianaImage image;
  for (uint32_t pixel = 0; pixel < place.pixels; ++pixel) {
    for (uint32_t block = 0; block < place.blocks; ++block) {
      const uint32_t bank = block % DianaPixels::kBanks;
      const uint32_t word = place.offset(pixel, block, 0);
      for (uint32_t lane = 0; lane < DianaPixels::kBlock; ++lane) {
        image.push_back(static_cast<int8_t>(banks[bank][word + (lane ^ kDianaSwap)]));
      }
    }
  }
  return image;
}

void DianaAnalogEngine::store_image(AcceleratorPort &port, const DianaPixels &place, const DianaImage &image,
                                    uint64_t now) const {
  size_t next = 0;
  for (uint32_t pixel = 0; pixel < place.pixels; ++pixel) {
    for (uint32_t block = 0; block < place.blocks; ++block) {
      std::array<uint8_t, DianaPixels::kBlock> word;
      for (uint32_t lane = 0; lane < word.size(); ++lane) {
        word[lane ^ kDianaSwap] = static_cast<uint8_t>(image[next++]);
      }
      const uint32_t offset = place.offset(pixel, block, constants_.l1_bank_bytes);
      port.store(constants_.l1_base + place.first + offset, word.data(), DianaPixels::kBlock, now);
    }
  }
}

void DianaAnalogEngine::execute(AcceleratorPort &port, uint64_t now) {
  const DianaAnalogInstruction &layer = instruction();
  DianaOperands operands;
  if (layer.adds_partial) {
    operands.partial = read_image(port, layer.partial, now);
  }
  if (layer.has_scales) {
    operands.scales = scales_of(layer);
  }
  if (layer.adds_residual) {
    operands.residual = read_image(port, layer.residual, now);
  }
  DianaImage results = convert(layer, read_image(port, layer.input, now), macro_.find(layer), constants_, noise_);
  process(layer, results, operands, constants_);
  store_image(port, layer.output, results, now);
}

void DianaAnalogEngine::add_uses(std::deque<DeviceCopy> &uses) const {
  if (phase_ == Phase::kConfiguration) {
    add_load(uses, job_.get(Register::kConfigurationAddress), kConfigurationBytes);
  }
  if (program_.empty()) {
    return add_load(uses, job_.get(Register::kInstructionAddress), 4 * job_.get(Register::kInstructionWords));
  }
  uint32_t weights = 0;
  uint32_t scales = 0;
  for (size_t i = next_instruction_ + (phase_ == Phase::kCompute ? 1 : 0); i < program_.size(); ++i) {
    weights += program_[i].weight_bytes(constants_);
    scales += program_[i].scale_bytes();
  }
  add_load(uses, next_weights_, weights);
  add_load(uses, next_scales_, scales);
  if (phase_ == Phase::kCompute) {
    add_ranges(uses, instruction().reads(constants_.l1_bank_bytes), false);
    add_ranges(uses, instruction().writes(constants_.l1_bank_bytes), true);
  }
}

bool DianaAnalogEngine::end_instruction(AcceleratorPort &port, uint64_t now) {
  port.part("compute", "compute " + instruction().name(), part_began_, now, track_);
  next_instruction_ += 1;
  if (next_instruction_ < program_.size()) {
    begin_instruction(now);
    return false;
  }
  end_job(port, program_.front().name(), program_.size() - 1, now);
  return true;
}

}  // namespace tinsmith::soc
