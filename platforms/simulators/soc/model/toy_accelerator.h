// An accelerator small enough to see how one is made: it adds two arrays of words in L1 through a port of eight words.
//
// Its registers are those of JobQueue; the words of a job: address of the first array, of the second, of the sum,
// number of words. Up to eight words of both are loaded in one cycle and their sums are stored in the next, or later
// where banks are taken. Raises line 0 when a job is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/job_queue.h"

namespace tinsmith::soc {

class ToyAccelerator : public Accelerator {
 public:
  uint32_t read(uint32_t offset, uint64_t now) override;
  void write(uint32_t offset, uint32_t value, uint64_t now) override;
  uint64_t next_time() const override {
    return next_;
  }
  void advance(AcceleratorPort &port, uint64_t now) override;

 private:
  void begin(uint64_t now);
  void finish(AcceleratorPort &port, uint64_t now);

  JobQueue jobs_{4};
  uint32_t done_words_ = 0;
  uint64_t began_ = 0;
  uint64_t next_ = kNever;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_
