// Who looks on while the chip runs: a log, a debugger. A chip without observers does nothing of this.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_OBSERVER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {

struct Access {
  uint32_t address;
  uint32_t bytes;
  uint32_t value;  // not extended
  bool is_store;
};

// Thrown by an observer to end the run.
struct Stopped {};

// Cores are counted as in Soc::harts(). An observer may take its time, and may change the state of cores and memories
// in `cycle_begins`, `before_step` and `survives`: the chip stands still meanwhile.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void cycle_begins(uint64_t) {
  }

  // The core is about to try what lies at its pc; it may still have to wait, and come again.
  virtual void before_step(size_t) {
  }

  // The core has carried out the instruction that it last tried.
  virtual void executed(size_t, const Instruction &) {
  }

  // A core's load or store has been served; the instruction is not over yet.
  virtual void accessed(const Hart &, const Access &) {
  }

  // True if ebreak is a stop for it, rather than an exception of the program.
  virtual bool takes_breakpoints() const {
    return false;
  }

  // True if the run goes on after a fault: the core that caused it tries again.
  virtual bool survives(const Fault &, std::optional<size_t>) {
    return false;
  }
};

// Passes on what a core wants from the chip, and tells of its accesses.
class Tap : public Port {
 public:
  Tap(Port &chip, std::function<void(const Hart &, const Access &)> accessed)
      : chip_(chip), accessed_(std::move(accessed)) {
  }

  LoadResult load(Hart &hart, uint32_t address, uint32_t bytes, bool event) override {
    const LoadResult result = chip_.load(hart, address, bytes, event);
    if (result.granted) {
      accessed_(hart, {address, bytes, result.value, false});
    }
    return result;
  }

  void store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) override {
    chip_.store(hart, address, bytes, value);
    accessed_(hart, {address, bytes, value, true});
  }

  void mark(Hart &hart, uint32_t region, bool begins) override {
    chip_.mark(hart, region, begins);
  }

  void end_stage(Hart &hart, uint32_t stage) override {
    chip_.end_stage(hart, stage);
  }

  void acknowledge_interrupt(Hart &hart, uint32_t line) override {
    chip_.acknowledge_interrupt(hart, line);
  }

  void breakpoint(Hart &hart) override {
    chip_.breakpoint(hart);
  }

  void slept(Hart &hart, uint64_t since, Stall cause) override {
    chip_.slept(hart, since, cause);
  }

  void instructions_changed() override {
    chip_.instructions_changed();
  }

 private:
  Port &chip_;
  std::function<void(const Hart &, const Access &)> accessed_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_OBSERVER_H_
