// The engine of a DIANA accelerator that copies between L1 and L2. Bytes change when a copy ends.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_COPIER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_COPIER_H_

#include "platforms/simulators/soc/model/diana_unit.h"

namespace tinsmith::soc {

class DianaCopier : public DianaUnit {
 public:
  using DianaUnit::DianaUnit;

  void begin(const DianaJob &job, uint64_t now) override;
  bool advance(AcceleratorPort &port, uint64_t now) override;
  void add_uses(std::deque<DeviceCopy> &uses) const override;

 private:
  uint32_t bank_address(uint32_t bank) const;
  void copy(AcceleratorPort &port, uint64_t now) const;

  DianaCopy copy_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_COPIER_H_
