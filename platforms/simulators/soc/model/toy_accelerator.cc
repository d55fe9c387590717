#include "platforms/simulators/soc/model/toy_accelerator.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tinsmith::soc {
namespace {

enum Word : size_t { kFirst, kSecond, kSum, kWords };

constexpr uint32_t kBeatWords = 8;

using Beat = std::array<uint32_t, kBeatWords>;

uint8_t *bytes_of(Beat &words) {
  return reinterpret_cast<uint8_t *>(words.data());
}

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
  const uint32_t words = std::min(kBeatWords, job[kWords] - done_words_);
  Beat sum = {};
  Beat second = {};
  const uint64_t first_waits = port.load(job[kFirst] + offset, bytes_of(sum), 4 * words, now);
  const uint64_t second_waits = port.load(job[kSecond] + offset, bytes_of(second), 4 * words, now);
  std::transform(sum.begin(), sum.end(), second.begin(), sum.begin(), std::plus<>());
  const uint64_t loaded = now + 1 + std::max(first_waits, second_waits);
  next_ = loaded + 1 + port.store(job[kSum] + offset, bytes_of(sum), 4 * words, loaded);
  done_words_ += words;
}

}  // namespace tinsmith::soc
