// The host's files, text and exit status for a program that asks for them by semihosting.
//
// Operations and parameter blocks as in Arm's "Semihosting for AArch32 and AArch64", which "RISC-V Semihosting" takes
// over: the operation is in a0, the block's address in a1, the result goes to a0. What calls for it is in soc.cc.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SEMIHOSTING_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SEMIHOSTING_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tinsmith::soc {

class Semihosting {
 public:
  // The program's memory; both raise Fault where nothing is.
  struct ProgramMemory {
    std::function<void(uint32_t address, uint8_t *target, uint32_t bytes)> read;
    std::function<void(uint32_t address, const uint8_t *source, uint32_t bytes)> write;
  };

  explicit Semihosting(ProgramMemory memory) : memory_(std::move(memory)) {
  }

  // Serves one call and returns its result. Raises Fault for an operation that it does not know.
  uint32_t call(uint32_t operation, uint32_t parameters);

  // Set by the calls that end the program.
  std::optional<uint32_t> exit_status() const {
    return exit_status_;
  }

 private:
  struct CloseFile {
    void operator()(std::FILE *file) const {
      if (file != stdin && file != stdout && file != stderr) {
        std::fclose(file);
      }
    }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;

  uint32_t word(uint32_t parameters, uint32_t index) const;
  std::string text(uint32_t address) const;
  std::FILE *file(uint32_t handle) const;
  std::FILE *file_or_error(uint32_t handle) const;  // EBADF

  uint32_t open(uint32_t parameters);
  uint32_t close(uint32_t parameters);
  uint32_t read(uint32_t parameters);
  uint32_t write(uint32_t parameters);
  uint32_t seek(uint32_t parameters);
  uint32_t length(uint32_t parameters);
  uint32_t failed();

  ProgramMemory memory_;
  std::vector<File> files_;  // handle - 1 is the index
  int last_error_ = 0;
  std::optional<uint32_t> exit_status_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SEMIHOSTING_H_
