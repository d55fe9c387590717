#include "platforms/simulators/soc/model/diana_engine.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

using Register = DianaRegister;

constexpr uint32_t kInstructionBytes = 4 * DianaInstruction::kWords;
// Between the instructions and the weights: look-up table, sparsity, activations.
constexpr uint32_t kEmptyLoads = 3;
// The configuration's pointer counts rows of the weight memory: HTVM writes 0x800 and the logarithm 15.
constexpr uint32_t kWeightRowBytes = 16;

[[noreturn]] void refuse_configuration(const DianaConfiguration &words, size_t word, const std::string &expected) {
  throw Fault("DIANA digital: word " + std::to_string(word) + " of the configuration holds 0x" +
              hexadecimal(words[word]) + "; expected " + expected);
}

// Byte of the weight memory at which weights of fully connected layers begin.
uint32_t decode_configuration(const DianaConfiguration &words, uint32_t weight_bytes) {
  if (words[0] > weight_bytes / kWeightRowBytes) {
    refuse_configuration(words, 0, "a row of 16 bytes of the weight memory, where weights of mode 0 begin");
  }
  const uint32_t first = words[0] * kWeightRowBytes;
  if (words[1] > 31 || (first == 0 ? words[1] != 0 : first != 1U << words[1])) {
    refuse_configuration(words, 1, "the logarithm of 16 times word 0, or 0 with it, as DORY writes 0x800 and 15");
  }
  for (size_t word = 2; word < words.size(); ++word) {
    if (words[word] != 0) {
      refuse_configuration(words, word, "0: frame by frame and the others are not modelled");
    }
  }
  return first;
}

}  // namespace

void DianaEngine::load_configuration(AcceleratorPort &port, uint64_t now) {
  const DianaConfiguration words = configuration_at(port, job_.get(Register::kConfigurationAddress), now);
  connected_weights_ = decode_configuration(words, constants_.weight_bytes);
  phase_ = Phase::kInstructions;
  next_ = now + load_cycles(4 * job_.get(Register::kInstructionWords));
}

void DianaEngine::load_instructions(AcceleratorPort &port, uint64_t now) {
  program_.resize(job_.get(Register::kInstructionWords) / DianaInstruction::kWords);
  uint32_t address = job_.get(Register::kInstructionAddress);
  for (DianaWords &words : program_) {
    port.load(address, reinterpret_cast<uint8_t *>(words.data()), kInstructionBytes, now);
    address += kInstructionBytes;
  }
  const uint64_t end = now + kEmptyLoads * load_cycles(0);
  port.part("set-up", "set-up", part_began_, end, track_);
  part_began_ = end;
  phase_ = Phase::kWeights;
  next_ = end + load_cycles(4 * job_.get(Register::kConvolutionWeightWords)) +
          load_cycles(4 * job_.get(Register::kConnectedWeightWords));
}

void DianaEngine::load_weights(AcceleratorPort &port, uint64_t now) {
  const uint32_t convolution = 4 * job_.get(Register::kConvolutionWeightWords);
  const uint32_t connected = 4 * job_.get(Register::kConnectedWeightWords);
  load_weights(port, Register::kConvolutionWeightAddress, 0, convolution, Loaded::kConvolution, now);
  load_weights(port, Register::kConnectedWeightAddress, connected_weights_, connected, Loaded::kConnected, now);
  port.part("weights", "weights " + std::to_string(convolution + connected) + " B", part_began_, now, track_);
  phase_ = Phase::kCompute;
  begin_instruction(now);
}

void DianaEngine::load_weights(AcceleratorPort &port, DianaRegister address, uint32_t target, uint32_t bytes, Loaded as,
                               uint64_t now) {
  if (uint64_t{target} + bytes > weights_.size()) {
    throw Fault("DIANA digital: " + std::to_string(bytes) + " bytes of weights are loaded to byte " +
                std::to_string(target) + " of the weight memory; expected no more than its " +
                std::to_string(weights_.size()));
  }
  if (bytes != 0) {
    port.load(job_.get(address), weights_.data() + target, bytes, now);
    std::fill_n(loaded_.begin() + target, bytes, as);
  }
}

uint32_t DianaEngine::first_weight() const {
  return instruction_.mode == DianaMode::kFullyConnected ? connected_weights_ : 0;
}

// Weights stay in the memory from job to job.
void DianaEngine::check_weights() const {
  const bool is_convolution = instruction_.mode == DianaMode::kConvolution;
  const Loaded wanted = is_convolution ? Loaded::kConvolution : Loaded::kConnected;
  const uint64_t first = first_weight() + instruction_.weights;
  const uint64_t end = first + instruction_.weight_bytes();
  for (uint64_t byte = first; byte < end; ++byte) {
    if (byte >= loaded_.size() || loaded_[byte] != wanted) {
      throw Fault("DIANA digital: " + instruction_.name() + " reads bytes " + std::to_string(first) + " to " +
                  std::to_string(end - 1) + " of the weight memory, but byte " + std::to_string(byte) +
                  " was not loaded by " + (is_convolution ? "WT_CONV" : "WT_FC"));
    }
  }
}

void DianaEngine::begin_instruction(uint64_t now) {
  instruction_ = decode_diana_instruction(program_[next_instruction_], constants_);
  check_weights();
  part_began_ = now;
  if (next_instruction_ == 0) {
    name_ = instruction_.name();
  }
  next_ = now + instruction_.cycles(constants_) + (next_instruction_ == 0 ? 0 : constants_.instruction_begin);
}

void DianaEngine::add_uses(std::deque<DeviceCopy> &uses) const {
  if (phase_ == Phase::kCompute) {
    add_ranges(uses, instruction_.reads(), false);
    add_ranges(uses, instruction_.writes(constants_.l1_bank_bytes), true);
    return;
  }
  if (phase_ == Phase::kConfiguration) {
    add_load(uses, job_.get(Register::kConfigurationAddress), kConfigurationBytes);
  }
  if (phase_ != Phase::kWeights) {
    add_load(uses, job_.get(Register::kInstructionAddress), 4 * job_.get(Register::kInstructionWords));
  }
  add_load(uses, job_.get(Register::kConvolutionWeightAddress), 4 * job_.get(Register::kConvolutionWeightWords));
  add_load(uses, job_.get(Register::kConnectedWeightAddress), 4 * job_.get(Register::kConnectedWeightWords));
}

// The next instruction says whether it stops, as in TinyVers: the first one runs in any case.
bool DianaEngine::end_instruction(AcceleratorPort &port, uint64_t now) {
  port.part("compute", "compute " + instruction_.name(), part_began_, now, track_);
  next_instruction_ += 1;
  if (next_instruction_ == program_.size()) {
    throw Fault("DIANA digital: the job has " + std::to_string(program_.size()) +
                " instructions, none of which stops it; expected another one behind them with nothing but stop");
  }
  if (!stops(program_[next_instruction_])) {
    begin_instruction(now);
    return false;
  }
  check_diana_stop(program_[next_instruction_]);
  end_job(port, name_, next_instruction_ - 1, now);
  return true;
}

}  // namespace tinsmith::soc
