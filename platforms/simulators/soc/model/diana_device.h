// What DIANA's accelerators are to the chip: registers, of which a trigger makes jobs, an array and an engine that
// copies between L1 and L2. Jobs run one after the other, with `overlap` copies beside computation. Raises line 0 when
// a job is done.
//
// Offsets: 0x00 TRIGGER (write 0), 0x04 ACQUIRE (read: the number of the next job, or all ones if none may be
// triggered now), 0x08 FINISHED (jobs done), 0x0C STATUS (0: idle), 0x10 RUNNING_JOB (its number, or that of the last),
// 0x14 SOFT_CLEAR (write: drop all jobs), then those of the accelerator's layout [sdk].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DEVICE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DEVICE_H_

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/diana_copier.h"
#include "platforms/simulators/soc/model/diana_registers.h"

namespace tinsmith::soc {

class DianaDevice : public Accelerator {
 public:
  uint32_t read(uint32_t offset, uint64_t now) override;
  void write(uint32_t offset, uint32_t value, uint64_t now) override;
  uint64_t next_time() const override {
    return std::min(engine_->next_time(), copier_.next_time());
  }
  void advance(AcceleratorPort &port, uint64_t now) override;
  const std::deque<DeviceCopy> *copies() const override {
    return &uses_;
  }
  std::vector<std::string> tracks() const override {
    return shared_.overlap != 0 ? std::vector<std::string>{"", "copies"} : std::vector<std::string>{""};
  }
  Stall awaited() const override {
    return Stall::kAccelerator;
  }

 protected:
  // layout must outlive it. engine: the array.
  DianaDevice(const DianaLayout &layout, const DianaShared &constants, std::unique_ptr<DianaUnit> engine)
      : shared_(constants),
        registers_(layout),
        engine_(std::move(engine)),
        copier_(constants, constants.overlap != 0 ? 1 : 0) {
  }

  // Raises Fault for what makes no job.
  virtual void check(const DianaJob &job) const = 0;

 private:
  std::string title() const {
    return registers_.layout->accelerator;
  }
  [[noreturn]] void fault_no_register(uint32_t offset) const;
  void trigger(uint32_t value, uint64_t now);
  void clear();
  void begin_jobs(uint64_t now);
  void begin(DianaUnit &unit, std::deque<DianaJob>::iterator job, uint64_t now);
  void advance(DianaUnit &unit, AcceleratorPort &port, uint64_t now);
  void update_uses();
  size_t under_way() const;

  const DianaShared shared_;
  DianaJob registers_;  // number: of the next trigger
  std::deque<DianaJob> waiting_;
  std::unique_ptr<DianaUnit> engine_;
  DianaCopier copier_;
  std::deque<DeviceCopy> uses_;
  uint32_t finished_ = 0;
  uint32_t last_begun_ = 0;  // number of the job
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DEVICE_H_
