// Executes single instructions on given registers, for comparison with a model of them in another language.
//
// Standard input: requests of a word, a count and that many cases of three words (a0, a1, a2); standard output: for
// each case a0, a1, a2, the next PC and a weighted sum of the memory's bytes and, behind them, of start, end and count
// of both hardware loops. All are 32-bit little-endian. The memory, 256 bytes at 0x1000, the PC, 0x10000, and the loops
// are the same before each case.

#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/instruction_set.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kBase = 0x1000;
constexpr uint32_t kPc = 0x10000;
constexpr size_t kFirstRegister = 10;
constexpr HardwareLoop kLoop = {0x20000, 0x20100, 0};
constexpr size_t kMemoryBytes = 256;

constexpr uint32_t weight(size_t place) {
  return 2654435761U * static_cast<uint32_t>(place + 1);
}

uint32_t weighted_sum(const std::array<HardwareLoop, 2> &loops) {
  uint32_t sum = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    const size_t place = kMemoryBytes + 3 * i;
    sum += loops[i].start * weight(place) + loops[i].end * weight(place + 1) + loops[i].count * weight(place + 2);
  }
  return sum;
}

class FlatMemory : public Port {
 public:
  void reset() {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<uint8_t>(i * 167 + 13);
    }
  }

  uint32_t weighted_sum() const {
    uint32_t sum = 0;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      sum += bytes_[i] * weight(i);
    }
    return sum;
  }

  LoadResult load(Hart &, uint32_t address, uint32_t bytes, bool) override {
    uint32_t value = 0;
    std::memcpy(&value, at(address, bytes), bytes);
    return {value, true};
  }

  void store(Hart &, uint32_t address, uint32_t bytes, uint32_t value) override {
    std::memcpy(at(address, bytes), &value, bytes);
  }

  void mark(Hart &, uint32_t, bool) override {
  }
  void acknowledge_interrupt(Hart &, uint32_t) override {
  }
  void instructions_changed() override {
  }

 private:
  uint8_t *at(uint32_t address, uint32_t bytes) {
    const uint32_t offset = address - kBase;
    if (offset > bytes_.size() - bytes) {
      throw Fault("outside the memory");
    }
    return &bytes_[offset];
  }

  std::array<uint8_t, kMemoryBytes> bytes_{};
};

bool read_words(uint32_t *words, size_t count) {
  return std::fread(words, sizeof(uint32_t), count, stdin) == count;
}

// Returns false at the end of the input.
bool answer_request(FlatMemory &memory, const CoreTiming &timing) {
  std::array<uint32_t, 2> request{};
  if (!read_words(request.data(), request.size())) {
    return false;
  }
  const Instruction instruction = InstructionSet::corev().decode(request[0]);
  for (uint32_t i = 0; i < request[1]; ++i) {
    Hart hart(0, memory, timing, InstructionSet::corev());
    read_words(&hart.x[kFirstRegister], 3);
    hart.pc = kPc;
    hart.loops = {kLoop, kLoop};
    memory.reset();
    hart.step(instruction);
    const std::array<uint32_t, 5> result = {hart.x[kFirstRegister], hart.x[kFirstRegister + 1],
                                            hart.x[kFirstRegister + 2], hart.pc,
                                            memory.weighted_sum() + weighted_sum(hart.loops)};
    std::fwrite(result.data(), sizeof(uint32_t), result.size(), stdout);
  }
  return true;
}

}  // namespace
}  // namespace tinsmith::soc

int main() {
  tinsmith::soc::FlatMemory memory;
  const tinsmith::soc::CoreTiming timing;
  try {
    while (tinsmith::soc::answer_request(memory, timing)) {
    }
  } catch (const tinsmith::soc::Fault &fault) {
    std::fprintf(stderr, "instruction_cases: %s\n", fault.what());
    return 1;
  }
  return 0;
}
