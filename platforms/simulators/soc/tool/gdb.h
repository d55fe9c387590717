// A debugger's hold on one core, by GDB's remote serial protocol.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/simulators/soc/model/soc.h"
#include "platforms/simulators/soc/tool/gdb_link.h"

namespace tinsmith::soc {

// The debugger sees one thread, the core. While that stands still, so does the whole chip; a step is one instruction of
// the core, during which the others go on. Breakpoints and watchpoints are the core's; faults of any core stop it.
class Gdb : public Observer {
 public:
  // where: as of GdbLink; this waits for the debugger. soc: outlives this, and is still to be told to let it observe.
  Gdb(Soc &soc, size_t core, const std::string &where);

  void cycle_begins(uint64_t now) override;
  void before_step(size_t core) override;
  void accessed(const Hart &hart, const Access &access) override;
  bool takes_breakpoints() const override {
    return attached_;
  }
  bool survives(const Fault &fault, std::optional<size_t> culprit) override;

  // Tells the debugger how the run ended, if it is still there.
  void finish(const Result &result, int exit_status);

 private:
  enum class Motion { kStands, kRuns, kSteps };

  struct Watchpoint {
    char type;  // as in packet Z: 2 writes, 3 reads, 4 both
    uint32_t address;
    uint32_t bytes;

    bool operator==(const Watchpoint &) const = default;
  };

  Hart &hart() const {
    return *soc_.harts()[core_];
  }

  // Stands still until the debugger has it go on.
  void stop(const std::string &reply);
  void serve();
  std::string answer(const std::string &packet);
  std::string answer_query(const std::string &packet);
  std::string answer_verbose(const std::string &packet);
  std::string read_registers();
  std::string write_registers(const std::string &digits);
  std::string read_one_register(const std::string &digits);
  std::string write_one_register(const std::string &text);
  std::string read_memory(const std::string &range);
  std::string write_memory(const std::string &text, bool binary);
  std::string change_point(const std::string &packet);
  std::string read_description(const std::string &range);
  std::string resume(const std::string &action);
  std::string tell_state() const;
  bool has_moved() const;

  Soc &soc_;
  const size_t core_;
  GdbLink link_;
  bool attached_ = true;
  bool began_ = false;
  uint64_t now_ = 0;
  uint32_t cycles_until_poll_ = 0;
  Motion motion_ = Motion::kStands;
  std::string reply_ = "T05thread:1;";  // why it stands still
  std::string pending_;                 // why it will, after the instruction
  std::string signal_;                  // two digits, that the debugger had it go on with
  uint32_t stopped_at_ = 0;             // pc
  uint32_t resumed_at_ = 0;
  uint64_t resumed_after_ = 0;                       // instructions
  std::set<std::pair<char, uint32_t>> breakpoints_;  // type as in packet Z: 0 software, 1 hardware; address
  std::vector<Watchpoint> watchpoints_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_H_
