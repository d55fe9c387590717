// What an accelerator is to the chip: registers, jobs, ports to L1, and an event when a job is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_

#include <cstdint>
#include <string>

namespace tinsmith::soc {

// An accelerator's way to L1. Addresses are the cluster's; a Fault is thrown outside L1.
class AcceleratorPort {
 public:
  virtual ~AcceleratorPort() = default;

  // bytes: 1, 2 or 4. The bank is taken in cycle `now`; the result is how many cycles it was not free.
  virtual uint32_t load(uint32_t address, uint32_t bytes, uint64_t now, uint32_t &waits) = 0;
  virtual void store(uint32_t address, uint32_t bytes, uint32_t value, uint64_t now, uint32_t &waits) = 0;

  // Raises event `event_accelerator` + line (0 to 3) of the cluster's event unit in every core, which is an interrupt
  // of those that let it be one.
  virtual void raise(uint32_t line, uint64_t now) = 0;

  // For the trace: a job took from `began` to `ended`.
  virtual void worked(const std::string &job, uint64_t began, uint64_t ended) = 0;
};

class Accelerator {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  virtual ~Accelerator() = default;

  // Registers, offsets from the accelerator's base.
  virtual uint32_t read(uint32_t offset, uint64_t now) = 0;
  virtual void write(uint32_t offset, uint32_t value, uint64_t now) = 0;

  // The cycle at which advance() must be called next; kNever while idle.
  virtual uint64_t next_time() const = 0;
  virtual void advance(AcceleratorPort &port, uint64_t now) = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_
