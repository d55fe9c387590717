// DIANA's digital accelerator: an array of 16x16 for convolutions, depthwise ones, fully connected layers and additions
// of int8, with its memory of weights. Registers are those of diana_job.h, instructions those of diana_instruction.h.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_

#include "platforms/simulators/soc/model/diana_constants.h"
#include "platforms/simulators/soc/model/diana_device.h"
#include "platforms/simulators/soc/model/diana_engine.h"
#include "platforms/simulators/soc/model/diana_job.h"

namespace tinsmith::soc {

class DianaDigital : public DianaDevice {
 public:
  explicit DianaDigital(const DianaConstants &constants)
      : DianaDevice(kDianaDigitalLayout, constants, std::make_unique<DianaEngine>(constants, 0)),
        constants_(constants) {
  }

 protected:
  void check(const DianaJob &job) const override {
    check_diana_job(job, constants_);
  }

 private:
  const DianaConstants constants_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DIGITAL_H_
