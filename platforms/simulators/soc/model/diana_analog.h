// DIANA's analog accelerator: an array of 1152 rows and 512 columns that multiplies in memory, converters, and what is
// behind them. Registers are those of diana_analog_job.h, instructions those of diana_analog_instruction.h.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_H_

#include "platforms/simulators/soc/model/diana_analog_constants.h"
#include "platforms/simulators/soc/model/diana_analog_engine.h"
#include "platforms/simulators/soc/model/diana_analog_job.h"
#include "platforms/simulators/soc/model/diana_device.h"

namespace tinsmith::soc {

class DianaAnalog : public DianaDevice {
 public:
  explicit DianaAnalog(const DianaAnalogConstants &constants)
      : DianaDevice(kDianaAnalogLayout, constants, std::make_unique<DianaAnalogEngine>(constants, 0)),
        constants_(constants) {
  }

 protected:
  void check(const DianaJob &job) const override {
    check_diana_analog_job(job, constants_);
  }

 private:
  const DianaAnalogConstants constants_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_H_
