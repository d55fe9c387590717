// The registers in front of an accelerator's work, as PULP's hardware processing engines have them: jobs are written
// into contexts, wait there, and run one after the other.
//
// Offsets: 0x00 TRIGGER (write 0: the acquired job is complete), 0x04 ACQUIRE (read: number of the job that may be
// written now, kAllTaken or kBeingWritten), 0x08 FINISHED (jobs done), 0x0C STATUS (bit 8 * n: context n is in use),
// 0x10 RUNNING_JOB (its number, or that of the last), 0x14 SOFT_CLEAR (write: drop all jobs), 0x20: the words of the
// job.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_JOB_QUEUE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_JOB_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tinsmith::soc {

class JobQueue {
 public:
  static constexpr uint32_t kAllTaken = ~0U;
  static constexpr uint32_t kBeingWritten = ~1U;

  // words: of a job.
  explicit JobQueue(size_t words, size_t contexts = 2) : words_(words), contexts_(contexts) {
  }

  // Offsets from the accelerator's base. Raises Fault if there is no such register, or no job to write or to trigger.
  uint32_t read(uint32_t offset);
  void write(uint32_t offset, uint32_t value);

  // The words of the job to run: the one triggered first that is not finished.
  const std::vector<uint32_t> *running() const;

  // It is done; the next one runs.
  void finish();

 private:
  enum class State { kFree, kBeingWritten, kTriggered };

  struct Context {
    State state = State::kFree;
    uint32_t job = 0;
    std::vector<uint32_t> words;
  };

  uint32_t acquire();
  uint32_t status() const;
  uint32_t running_job() const;
  void clear();
  Context *find(State state);
  const Context *first_triggered() const;
  uint32_t &word(uint32_t offset);

  size_t words_;
  std::vector<Context> contexts_;
  uint32_t acquired_ = 0;  // jobs so far, which gives them their numbers
  uint32_t finished_ = 0;
  uint32_t last_ = 0;  // number of the job finished last
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_JOB_QUEUE_H_
