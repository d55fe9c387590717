// DIANA's digital accelerator: an array of 16x16 for convolutions, depthwise ones, fully connected layers and additions
// of int8, with its memory of weights, and an engine that copies between L1 and L2.
//
// Registers are those of diana_job.h, instructions those of diana_instruction.h. A trigger takes the registers for a
// job; jobs run one after the other, with `overlap` copies beside computation. Raises line 0 when a job is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/diana_constants.h"
#include "platforms/simulators/soc/model/diana_copier.h"
#include "platforms/simulators/soc/model/diana_engine.h"
#include "platforms/simulators/soc/model/diana_job.h"

namespace tinsmith::soc {

class DianaDigital : public Accelerator {
 public:
  explicit DianaDigital(const DianaConstants &constants)
      : constants_(constants), engine_(constants_, 0), copier_(constants_, constants_.overlap != 0 ? 1 : 0) {
  }

  uint32_t read(uint32_t offset, uint64_t now) override;
  void write(uint32_t offset, uint32_t value, uint64_t now) override;
  uint64_t next_time() const override {
    return std::min(engine_.next_time(), copier_.next_time());
  }
  void advance(AcceleratorPort &port, uint64_t now) override;
  const std::deque<DeviceCopy> *copies() const override {
    return &uses_;
  }
  std::vector<std::string> tracks() const override {
    return constants_.overlap != 0 ? std::vector<std::string>{"", "copies"} : std::vector<std::string>{""};
  }
  Stall awaited() const override {
    return Stall::kAccelerator;
  }

 private:
  void trigger(uint32_t value, uint64_t now);
  void clear();
  void begin_jobs(uint64_t now);
  void begin(DianaUnit &unit, std::deque<DianaJob>::iterator job, uint64_t now);
  void advance(DianaUnit &unit, AcceleratorPort &port, uint64_t now);
  void update_uses();
  size_t under_way() const;

  const DianaConstants constants_;
  DianaJob registers_;  // number: of the next trigger
  std::deque<DianaJob> waiting_;
  DianaEngine engine_;
  DianaCopier copier_;
  std::deque<DeviceCopy> uses_;
  uint32_t finished_ = 0;
  uint32_t last_begun_ = 0;  // number of the job
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_
