#include "platforms/simulators/soc/model/toy_accelerator.h"

#include <algorithm>

namespace tinsmith::soc {
namespace {

enum Word : size_t { kFirst, kSecond, kSum, kWords };

}  // namespace

uint32_t ToyAccelerator::read(uint32_t offset, uint64_t) {
  return jobs_.read(offset);
}

// The job may have been triggered, or all of them dropped, by this.
void ToyAccelerator::write(uint32_t offset, uint32_t value, uint64_t now) {
  jobs_.write(offset, value);
  if (jobs_.running() == nullptr) {
    next_ = kNever;
  } else if (next_ == kNever) {
    begin(now);
  }
}

void ToyAccelerator::begin(uint64_t now) {
  done_words_ = 0;
  began_ = now;
  next_ = now + 1;
}

void ToyAccelerator::finish(AcceleratorPort &port, uint64_t now) {
  port.worked("add " + std::to_string(done_words_) + " words", began_, now);
  jobs_.finish();
  next_ = kNever;
  if (jobs_.running() != nullptr) {
    begin(now);
  }
  port.raise(0, now);
}

void ToyAccelerator::advance(AcceleratorPort &port, uint64_t now) {
  const std::vector<uint32_t> &job = *jobs_.running();
  if (done_words_ == job[kWords]) {
    finish(port, now);
    return;
  }
  const uint32_t offset = 4 * done_words_;
  uint32_t first_waits = 0;
  uint32_t second_waits = 0;
  uint32_t sum_waits = 0;
  const uint32_t first = port.load(job[kFirst] + offset, 4, now, first_waits);
  const uint32_t second = port.load(job[kSecond] + offset, 4, now, second_waits);
  const uint64_t loaded = now + 1 + std::max(first_waits, second_waits);
  port.store(job[kSum] + offset, 4, first + second, loaded, sum_waits);
  next_ = loaded + 1 + sum_waits;
  done_words_ += 1;
}

}  // namespace tinsmith::soc
