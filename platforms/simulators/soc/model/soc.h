// The whole chip: cores, memories and devices, one cycle after the other.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/attached.h"
#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/dma.h"
#include "platforms/simulators/soc/model/elf.h"
#include "platforms/simulators/soc/model/event_unit.h"
#include "platforms/simulators/soc/model/icache.h"
#include "platforms/simulators/soc/model/interrupt_controller.h"
#include "platforms/simulators/soc/model/memory.h"
#include "platforms/simulators/soc/model/observer.h"
#include "platforms/simulators/soc/model/profile.h"
#include "platforms/simulators/soc/model/regions.h"
#include "platforms/simulators/soc/model/semihosting.h"
#include "platforms/simulators/soc/model/soc_events.h"
#include "platforms/simulators/soc/model/timer.h"

namespace tinsmith::soc {

struct Options {
  bool start_cluster = false;       // all cluster cores start at the entry, rather than the fabric controller
  bool race_check = false;          // two cores at the same L1 byte between barriers are a fault if one of them writes
  bool semihosting = false;         // serve calls for the host's files
  bool stop_at_exceptions = false;  // though the program has a handler
  bool keep_slices = false;
  uint64_t most_cycles = ~uint64_t{0};
};

enum class Outcome { kExited, kFault, kOutOfCycles, kStopped };

struct Result {
  Outcome outcome = Outcome::kExited;
  uint32_t exit_code = 0;
  uint64_t cycles = 0;
  std::string reason;             // of a fault
  std::optional<size_t> culprit;  // the core that caused it
};

class Soc : public Port {
 public:
  // Raises BadFile if its parts make no chip, or the program does not fit into it.
  Soc(const Description &description, const Program &program, const Options &options);

  // Has `observer`, which must outlive the run, look on; the first one that came is asked first.
  void observe(Observer &observer);

  // Reads or writes memory as a debugger does: no time passes, nothing else happens. False where no memory is.
  bool peek(uint32_t address, uint32_t bytes, uint8_t *target) const;
  bool poke(uint32_t address, uint32_t bytes, const uint8_t *source);

  // Where an address really lies: the cores' alias of L1 is L1.
  uint32_t resolve(uint32_t address) const;

  // Runs to the program's exit, a fault, the last cycle allowed, or an observer's `Stopped`.
  Result run();

  const std::vector<std::unique_ptr<Hart>> &harts() const {
    return harts_;
  }
  const Profile &profile() const {
    return profile_;
  }
  std::string core_name(size_t core) const;

  // "0", "1" …, "fc"; and which core it names.
  std::string core_label(size_t core) const;
  std::optional<size_t> find_core(const std::string &label) const;

  const std::vector<Attached> &attached() const {
    return attached_;
  }

  // Of the slices in profile(): first the cores, then the DMA's identifiers, the attached devices and the stages.
  size_t tracks() const {
    return harts_.size() + dma_tracks() + device_tracks() + 1;
  }
  std::string track_name(size_t track) const;
  size_t device_tracks() const;

  LoadResult load(Hart &hart, uint32_t address, uint32_t bytes, bool event) override;
  void store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) override;
  void mark(Hart &hart, uint32_t region, bool begins) override;
  void end_stage(Hart &hart, uint32_t stage) override;
  void acknowledge_interrupt(Hart &hart, uint32_t line) override;
  void breakpoint(Hart &hart) override;
  void slept(Hart &hart, uint64_t since, Stall cause) override;
  void instructions_changed() override;

 private:
  size_t dma_tracks() const {
    return description_.has_cluster() ? description_.dma_identifiers : 0;
  }

  // What the interpreter keeps of a core besides its Hart.
  struct Fetch {
    uint32_t page_address = 1;  // none
    Memory::Page *page = nullptr;
    uint32_t line = ~0U;
    uint16_t function = 0;
  };

  // An attached device's way to the memories and to the event unit.
  class DevicePort : public AcceleratorPort {
   public:
    DevicePort(Soc &soc, Attached &device) : soc_(soc), device_(device) {
    }
    uint64_t load(uint32_t address, uint8_t *target, uint32_t bytes, uint64_t now) override;
    uint64_t store(uint32_t address, const uint8_t *source, uint32_t bytes, uint64_t now) override;
    void raise(uint32_t line, uint64_t now) override;
    void worked(const std::string &job, uint64_t began, uint64_t ended, size_t track) override;
    void part(const std::string &kind, const std::string &name, uint64_t began, uint64_t ended, size_t track) override;

   private:
    void add_slice(const std::string &name, uint64_t began, uint64_t ended, size_t track);
    Memory &reach(const char *what, uint32_t address, uint32_t bytes, bool writes, uint64_t now, uint64_t &waits);

    Soc &soc_;
    Attached &device_;
  };

  static constexpr size_t kDeviceBit = 31;  // of the first attached device in Touched

  // Who has been at a byte since the epoch began, as bits: cores by number from 0 up, attached devices from 31 down.
  struct Touched {
    uint64_t epoch = 0;
    uint32_t readers = 0;
    uint32_t writers = 0;
  };

  // Of an attached device, and whose.
  struct CopyUnderWay {
    const Attached *device;
    DeviceCopy copy;
  };

  void place(const Program &program);
  Memory &memory_for(uint32_t address, uint32_t bytes);
  void start(const Program &program);
  template <bool kObserved>
  void run_cycles(Result &result);
  bool runs_to_its_end(Result &result);
  bool survives(const Fault &fault, std::optional<size_t> culprit);
  bool takes_breakpoints() const;
  bool goes_on_after(const Fault &fault, Result &result);
  bool survives_or_ends(const Fault &fault, Result &result);
  template <bool kObserved>
  void step(size_t core);
  void execute_observed(size_t core, Instruction instruction);
  const Instruction *fetch(size_t core);
  void decode_at(Instruction &slot, uint32_t pc);
  // When something happens next; if that is one core's step alone, nothing else will before `until`.
  struct Turn {
    uint64_t time;
    uint64_t until;
    size_t core;
  };

  Turn next_turn() const;
  void run_alone(const Turn &turn, Result &result);
  void advance_devices(uint64_t now);
  void advance_timers(uint64_t now);

  bool is_private_to_cores(const MemoryRegion &region, uint32_t address) const;
  MemoryRegion &reach(const Attached &device, const char *what, uint32_t address, uint32_t bytes);
  bool is_fabric_controller(const Hart &hart) const;
  uint32_t cluster_number(const Hart &hart) const;
  uint32_t take_bank(uint32_t address, uint64_t now);
  uint64_t take_banks(uint32_t address, uint32_t bytes, uint64_t now);
  void time_memory(Hart &hart, const MemoryRegion &region, uint32_t address, uint32_t bytes);
  void time_banks(Hart &hart, uint32_t address, uint32_t bytes);
  void check_access(const Hart &hart, uint32_t address, uint32_t bytes, bool writes, uint32_t at);
  void check_race(uint32_t who, uint32_t address, uint32_t bytes, bool writes);
  std::string name_of_bit(uint32_t bit) const;
  void watch();
  void watch_copies();
  void check_in_flight(uint32_t address, uint32_t bytes, bool writes, uint32_t at, const Attached *except) const;
  void check_transfer(const Dma::Transfer &transfer) const;
  LoadResult load_test_and_set(Hart &hart, uint32_t address, uint32_t bytes);
  const DeviceRegion *locate(const Hart &hart, uint32_t address) const;
  void time_device(Hart &hart, const DeviceRegion &region);
  [[noreturn]] void fault_access(const char *what, uint32_t address, uint32_t bytes) const;
  LoadResult load_device(Hart &hart, uint32_t address, uint32_t bytes, bool event);
  void store_device(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value);
  void put_character(char character);
  LoadResult load_dma(Hart &hart, uint32_t offset);
  void store_dma(Hart &hart, uint32_t offset, uint32_t value);
  void store_attached(Attached &attached, uint32_t offset, uint32_t value, uint64_t now);
  uint32_t load_cluster_control(uint32_t offset) const;
  void store_cluster_control(uint32_t offset, uint32_t value, uint64_t now);
  void store_soc_events(uint32_t offset, uint32_t value, uint64_t now);
  void add_slice(const Dma::Transfer &transfer, uint64_t ended);
  void tell_of_end(const Dma::Transfer &transfer, uint64_t now);
  Dma::Surroundings dma_surroundings();
  Memory &memory_at(uint32_t address, uint32_t bytes);
  Semihosting::ProgramMemory program_memory();

  const Description description_;
  const Options options_;
  Memories memories_;
  std::vector<Attached> attached_;
  std::vector<DeviceRegion> devices_;         // also those attached
  std::vector<std::unique_ptr<Hart>> harts_;  // the cluster's by number, then the fabric controller
  bool has_plain_core_ = false;
  std::vector<Fetch> fetches_;
  std::vector<Observer *> observers_;
  std::unique_ptr<Tap> tap_;  // the cores' port, if somebody observes them
  Profile profile_;
  InstructionCache icache_;
  EventUnit events_;
  InterruptController interrupts_;
  SocEvents soc_events_;
  Dma dma_;
  Timers timers_;
  Timers fc_timers_;
  Semihosting semihosting_;
  std::vector<uint64_t> bank_free_;
  std::vector<uint32_t> boot_addresses_;
  uint32_t fetch_enable_ = 0;
  uint32_t end_of_computation_ = 0;
  std::vector<bool> waits_for_dma_;
  std::vector<Touched> touched_;  // of each L1 byte, for the race check
  std::vector<CopyUnderWay> copies_;
  bool watched_ = false;      // accesses must be checked: a DMA transfer or a device's copy is under way, or for races
  std::string line_;          // of stdout, until it is complete
  bool device_used_ = false;  // since run_alone began: a device may have woken somebody
  bool exited_ = false;
  uint32_t exit_code_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_H_
