// What runs a job of one of DIANA's accelerators: the array, or the engine that copies. One job at a time.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_

#include <cstdint>
#include <deque>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/diana_l1.h"
#include "platforms/simulators/soc/model/diana_registers.h"

namespace tinsmith::soc {

class DianaUnit {
 public:
  // track: of the accelerator's, the one for its jobs.
  DianaUnit(const DianaShared &constants, size_t track) : shared_(constants), track_(track) {
  }
  virtual ~DianaUnit() = default;

  // Only while idle; the job has been checked.
  virtual void begin(const DianaJob &job, uint64_t now) = 0;

  // At next_time(). True if the job is done by this.
  virtual bool advance(AcceleratorPort &port, uint64_t now) = 0;

  // Adds what the job reads and writes from now to next_time(), by the chip's addresses.
  virtual void add_uses(std::deque<DeviceCopy> &uses) const = 0;

  uint64_t next_time() const {
    return next_;
  }
  bool is_idle() const {
    return next_ == Accelerator::kNever;
  }
  void drop() {
    next_ = Accelerator::kNever;
  }

 protected:
  uint64_t transfer_cycles(uint64_t bytes) const {
    return (bytes + shared_.bytes_per_cycle - 1) / shared_.bytes_per_cycle;
  }
  uint64_t load_cycles(uint64_t bytes) const {
    return shared_.load_begin + transfer_cycles(bytes);
  }

  // Of what is loaded from L2, and of what lies in L1, as they are used from now on.
  void add_load(std::deque<DeviceCopy> &uses, uint32_t address, uint32_t bytes) const;
  void add_ranges(std::deque<DeviceCopy> &uses, const std::vector<DianaRange> &ranges, bool writes) const;

  DianaBytes read(AcceleratorPort &port, const DianaRange &range, uint64_t now) const;

  const DianaShared shared_;
  const size_t track_;
  uint64_t began_ = 0;
  uint64_t next_ = Accelerator::kNever;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_
