// What runs a job of one of DIANA's accelerators: the array, or the engine that copies. One job at a time.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_

#include <cstdint>
#include <deque>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/diana_constants.h"
#include "platforms/simulators/soc/model/diana_job.h"

namespace tinsmith::soc {

class DianaUnit {
 public:
  // constants must outlive it. track: of the accelerator's, the one for its jobs.
  DianaUnit(const DianaConstants &constants, size_t track) : constants_(constants), track_(track) {
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
    return (bytes + constants_.bytes_per_cycle - 1) / constants_.bytes_per_cycle;
  }

  const DianaConstants &constants_;
  const size_t track_;
  uint64_t began_ = 0;
  uint64_t next_ = Accelerator::kNever;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_UNIT_H_
