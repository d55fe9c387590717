// An accelerator small enough to see how one is made: it adds two arrays of words in L1, a word every few cycles.
//
// Registers, offsets from its base: 0x00 TRIGGER (write: start), 0x0C STATUS (1 while it runs), 0x20 address of the
// first array, 0x24 of the second, 0x28 of the sum, 0x2C number of words. Event 12 when it is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_

#include <array>

#include "platforms/simulators/soc/model/accelerator.h"

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
  std::array<uint32_t, 4> job_{};  // first, second, sum, words
  uint32_t done_words_ = 0;
  uint64_t began_ = 0;
  uint64_t next_ = kNever;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TOY_ACCELERATOR_H_
