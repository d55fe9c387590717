// The parts of an ELF32 file for RISC-V that a simulator needs.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ELF_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ELF_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tinsmith::soc {

struct Segment {
  uint32_t address;       // where it runs
  uint32_t load_address;  // where its data is put; from there, the program itself copies it to `address`
  uint32_t bytes_in_memory;
  bool executable;
  std::vector<uint8_t> data;  // the rest is zero
};

struct Function {
  uint32_t address;
  uint32_t bytes;
  std::string name;
};

struct Program {
  uint32_t entry = 0;
  std::vector<Segment> segments;
  std::vector<Function> functions;  // by address, the longest first; labels without a size reach to the next
};

// Raises BadFile if it is not an executable for 32-bit RISC-V, or cut short.
Program read_elf(const std::string &path);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ELF_H_
