// What an accelerator is to the chip: registers, jobs, a port to the memories, and an event when a job is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {

// Bytes that a device moves from one place to another, now or when its turn comes; or that it reads into itself, or
// writes from there: then target and source are the same.
struct DeviceCopy {
  uint32_t target = 0;
  uint32_t source = 0;
  uint32_t bytes = 0;
  bool reads = true;
  bool writes = true;
};

// An accelerator's way to the chip's memories. Addresses are the cluster's; a Fault is thrown where no memory is, and
// where a running DMA transfer moves what is touched.
class AcceleratorPort {
 public:
  virtual ~AcceleratorPort() = default;

  // Moves any number of bytes at once. In L1 it happens in the first cycle, from `now` on, in which the banks of all
  // words touched are free, and takes them; returned is how many cycles that was later.
  virtual uint64_t load(uint32_t address, uint8_t *target, uint32_t bytes, uint64_t now) = 0;
  virtual uint64_t store(uint32_t address, const uint8_t *source, uint32_t bytes, uint64_t now) = 0;

  // Raises the accelerator's event + line (0 to 3) of the cluster's event unit in every core, which is an interrupt of
  // those that let it be one; without a cluster, the line of this number of the fabric controller's interrupts.
  virtual void raise(uint32_t line, uint64_t now) = 0;

  // For trace and counters: a job took from `began` to `ended`. track: of those that the device asks for.
  virtual void worked(const std::string &job, uint64_t began, uint64_t ended, size_t track = 0) = 0;

  // Likewise for a part of a job: cycles are counted by `kind`.
  virtual void part(const std::string &kind, const std::string &name, uint64_t began, uint64_t ended,
                    size_t track = 0) = 0;
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

  // What is under way, of a device that copies or whose jobs must not be disturbed. Whoever touches what one writes, or
  // writes what one reads, is at fault, as with the DMA.
  virtual const std::deque<DeviceCopy> *copies() const {
    return nullptr;
  }

  // Names of its tracks in a trace, behind its own name: more than one if it does several jobs at a time.
  virtual std::vector<std::string> tracks() const {
    return {""};
  }

  // What a core that sleeps for its events waits for.
  virtual Stall awaited() const {
    return copies() != nullptr ? Stall::kFetchWait : Stall::kAccelerator;
  }
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ACCELERATOR_H_
