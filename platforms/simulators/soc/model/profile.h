// Who spent what: counters per core, per function and per marked region, and slices for a trace.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PROFILE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PROFILE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/elf.h"

namespace tinsmith::soc {

// Something that took from `began` to `ended` on a track. Slices of a track lie apart or inside one another.
struct Slice {
  uint32_t track;
  uint64_t began;
  uint64_t ended;
  std::string name;
  std::vector<std::pair<std::string, std::string>> details{};
};

// What a trace calls a core's sleep.
const char *sleep_name(Stall cause);

class Profile {
 public:
  // keep_slices: for a trace; costs memory with every call.
  Profile(const std::vector<Function> &functions, size_t cores, bool keep_slices);

  // The function that an address lies in; 0 is none.
  uint16_t function_at(uint32_t address) const;
  const std::string &function_name(uint16_t function) const {
    return names_[function];
  }
  bool knows_function(const std::string &name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  size_t functions() const {
    return names_.size();
  }

  // A core's next instruction belongs to another function than the last.
  void enter(size_t core, const Hart &hart, uint16_t function);

  void mark(size_t core, const Hart &hart, uint32_t region, bool begins);

  // At cycle `now` all cores are done with a stage, and begin the next; 0 is none. A core that runs goes on to the end
  // of its instruction; the sleep of one that sleeps is divided when it is known what it was for.
  void end_stage(const std::vector<std::unique_ptr<Hart>> &harts, uint64_t now, uint32_t stage, uint32_t track);

  // A core has slept since then, until now.
  void slept(size_t core, const Hart &hart, uint64_t since, Stall cause);

  // A core reads the DMA's status; `busy`: and finds a transfer running.
  //
  // From a read that finds one to the core's next read, in the same function and region, all cycles are a wait for the
  // DMA if nothing but that read, arithmetic, branches and jumps lie between: such a loop waits and does nothing else.
  // Its stalls become those of the DMA, its instructions those of kind kDmaPoll; their sums stay what they were.
  void poll(size_t core, Hart &hart, bool busy);

  // Books what is not booked yet; then totals are complete.
  void finish(size_t core, const Hart &hart);

  void add_slice(Slice slice) {
    if (keep_slices_) {
      slices_.push_back(std::move(slice));
    }
  }

  const Counters &of_function(size_t core, uint16_t function) const {
    return cores_[core].functions[function];
  }
  const std::map<uint32_t, Counters> &regions(size_t core) const {
    return cores_[core].regions;
  }
  const std::map<uint32_t, Counters> &stages(size_t core) const {
    return cores_[core].stages;
  }
  const std::vector<Slice> &slices() const {
    return slices_;
  }
  bool keeps_slices() const {
    return keep_slices_;
  }

 private:
  static constexpr size_t kNoSlice = ~size_t{0};

  struct StageEnd {
    uint32_t stage;
    uint64_t at;
  };

  struct Core {
    bool polls = false;  // the DMA was busy at `polled`, and it may be a loop that waits
    Counters polled;
    size_t poll_slice = kNoSlice;
    uint16_t function = 0;
    uint64_t entered = 0;
    Counters booked;  // when it entered the function
    std::vector<Counters> functions;
    std::map<uint32_t, Counters> open;
    std::map<uint32_t, Counters> regions;
    Counters stage_began;
    std::vector<StageEnd> asleep_at;  // stages that ended since it sleeps
    std::map<uint32_t, Counters> stages;
  };

  static Counters now(const Hart &hart);
  static void book_stage(Core &core, uint32_t stage, const Counters &current);
  static bool only_polls(const Counters &spent);
  void add_poll_slice(size_t core, uint64_t began, uint64_t ended);

  std::vector<std::string> names_;
  std::vector<Function> functions_;
  std::vector<Core> cores_;
  std::vector<Slice> slices_;
  uint64_t stage_began_ = 0;
  bool keep_slices_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PROFILE_H_
