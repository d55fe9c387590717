// The part of N-EUREKA that loads a tile's inputs: a pixel's channels each cycle, and nothing where padding is.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_LOADER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_LOADER_H_

#include <cstdint>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/neureka_datapath.h"
#include "platforms/simulators/soc/model/neureka_job.h"
#include "platforms/simulators/soc/model/neureka_timing.h"

namespace tinsmith::soc {

class NeurekaLoader {
 public:
  explicit NeurekaLoader(const NeurekaTiming &timing) : timing_(timing) {
  }

  // Both must outlive the load.
  void begin(const NeurekaJob &job, const NeurekaTile &tile, uint64_t now);
  void stop();

  // When step() must be called next; Accelerator::kNever while nothing is loaded.
  uint64_t next_time() const {
    return time_;
  }

  void step(AcceleratorPort &port, uint64_t now);

  // Of the last load that ended: when all of it was there, and what it is.
  uint64_t ready() const {
    return ready_;
  }
  const NeurekaInputs &inputs() const {
    return inputs_;
  }

 private:
  void skip_padding();

  const NeurekaTiming &timing_;
  const NeurekaJob *job_ = nullptr;
  NeurekaTile tile_;
  NeurekaInputs inputs_;
  uint32_t rows_ = 0;
  uint32_t columns_ = 0;
  uint32_t pixel_ = 0;  // the next one
  uint64_t time_ = Accelerator::kNever;
  uint64_t ready_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_LOADER_H_
