// An accelerator of another repository for the simulator of PULP-class chips: thresholded ReLU of int8, `lanes` bytes a
// cycle. A chip's file has it by `device NAME thresholds base=ADDRESS lanes=32`.
//
// Its registers are those of JobQueue; the words of a job: address of the input, of the output, number of bytes, theta.
// In each cycle it loads so many bytes, and stores those of the cycle before. Raises line 0 when a job is done.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "platforms/simulators/soc/model/device_kinds.h"
#include "platforms/simulators/soc/model/job_queue.h"

namespace {

using tinsmith::soc::Accelerator;
using tinsmith::soc::AcceleratorPort;
using tinsmith::soc::JobQueue;
using tinsmith::soc::Settings;

enum Word : size_t { kInput, kOutput, kBytes, kTheta, kWords };

class ThresholdUnit : public Accelerator {
 public:
  explicit ThresholdUnit(uint32_t lanes) : lanes_(lanes) {
  }

  uint32_t read(uint32_t offset, uint64_t) override {
    return jobs_.read(offset);
  }

  void write(uint32_t offset, uint32_t value, uint64_t now) override {
    jobs_.write(offset, value);
    if (jobs_.running() == nullptr) {
      next_ = kNever;
    } else if (next_ == kNever) {
      begin(now);
    }
  }

  uint64_t next_time() const override {
    return next_;
  }

  void advance(AcceleratorPort &port, uint64_t now) override {
    const std::vector<uint32_t> &job = *jobs_.running();
    const uint32_t bytes = std::min(lanes_, job[kBytes] - done_);
    if (bytes == 0) {
      finish(port, now);
      return;
    }
    std::vector<uint8_t> lanes(bytes);
    const uint64_t loaded = now + port.load(job[kInput] + done_, lanes.data(), bytes, now);
    const auto theta = static_cast<int32_t>(job[kTheta]);
    for (uint8_t &lane : lanes) {
      lane = static_cast<int8_t>(lane) > theta ? lane : 0;
    }
    next_ = loaded + 1 + port.store(job[kOutput] + done_, lanes.data(), bytes, loaded + 1);
    done_ += bytes;
  }

 private:
  void begin(uint64_t now) {
    done_ = 0;
    began_ = now;
    next_ = now + 1;
  }

  void finish(AcceleratorPort &port, uint64_t now) {
    port.worked("thresholds of " + std::to_string(done_) + " bytes", began_, now);
    jobs_.finish();
    next_ = kNever;
    if (jobs_.running() != nullptr) {
      begin(now);
    }
    port.raise(0, now);
  }

  const uint32_t lanes_;
  JobQueue jobs_{kWords};
  uint32_t done_ = 0;
  uint64_t began_ = 0;
  uint64_t next_ = kNever;
};

std::unique_ptr<Accelerator> make(Settings &settings) {
  const uint32_t lanes = settings.take("lanes", 32);
  if (lanes == 0) {
    settings.refuse("lanes must be 1 or more");
  }
  return std::make_unique<ThresholdUnit>(lanes);
}

const bool kKnown = tinsmith::soc::add_device_kind("thresholds", make);

}  // namespace
