#include "platforms/simulators/soc/tool/gdb.h"

#include <algorithm>
#include <cstdio>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/tool/gdb_text.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kCyclesPerPoll = 1 << 14;

// As GDB numbers them, in hexadecimal.
constexpr const char *kInterrupted = "02";
constexpr const char *kTrap = "05";

std::string signal_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalInstruction:
      return "04";
    case FaultKind::kBreakpoint:
      return kTrap;
    case FaultKind::kBadAddress:
      return "0b";
    case FaultKind::kMisuse:
      break;
  }
  return "06";
}

std::string stop_reply(const std::string &signal, const std::string &reason = "") {
  return "T" + signal + reason + "thread:1;";
}

}  // namespace

Gdb::Gdb(Soc &soc, size_t core, const std::string &where) : soc_(soc), core_(core), link_(where) {
}

void Gdb::cycle_begins(uint64_t now) {
  if (!attached_) {
    return;
  }
  now_ = now;
  if (!began_) {
    began_ = true;
    serve();
  } else if (cycles_until_poll_-- == 0) {
    cycles_until_poll_ = kCyclesPerPoll;
    if (link_.interrupted()) {
      stop(stop_reply(kInterrupted));
    }
  }
}

bool Gdb::has_moved() const {
  return hart().counters.instructions != resumed_after_ || hart().pc != resumed_at_;
}

void Gdb::before_step(size_t core) {
  if (!attached_ || core != core_) {
    return;
  }
  const uint32_t pc = hart().pc;
  const bool is_new = has_moved() || pc != stopped_at_;
  if (!pending_.empty()) {
    stop(std::exchange(pending_, ""));
  } else if (is_new && breakpoints_.count({'0', pc}) != 0) {
    stop(stop_reply(kTrap, "swbreak:;"));
  } else if (is_new && breakpoints_.count({'1', pc}) != 0) {
    stop(stop_reply(kTrap, "hwbreak:;"));
  } else if (motion_ == Motion::kSteps && has_moved()) {
    stop(stop_reply(kTrap));
  }
}

void Gdb::accessed(const Hart &hart, const Access &access) {
  if (!attached_ || &hart != soc_.harts()[core_].get() || !pending_.empty()) {
    return;
  }
  const uint32_t address = soc_.resolve(access.address);
  for (const Watchpoint &point : watchpoints_) {
    const uint32_t watched = soc_.resolve(point.address);
    const bool overlaps = address < watched + point.bytes && watched < address + access.bytes;
    const bool concerns = point.type == '4' || (point.type == '2') == access.is_store;
    if (overlaps && concerns) {
      const char *name = point.type == '2' ? "watch:" : point.type == '3' ? "rwatch:" : "awatch:";
      const uint32_t first = point.address + (std::max(address, watched) - watched);
      pending_ = stop_reply(kTrap, name + hexadecimal(first) + ";");
      return;
    }
  }
}

bool Gdb::survives(const Fault &fault, std::optional<size_t> culprit) {
  if (!attached_) {
    return false;
  }
  const std::string who = culprit ? soc_.core_name(*culprit) + ": " : "";
  link_.send("O" + to_hex("fault at cycle " + std::to_string(now_) + ": " + who + fault.what() + "\n"));
  stop(stop_reply(signal_of(fault.kind)));
  return attached_ && culprit && signal_.empty();
}

void Gdb::finish(const Result &result, int exit_status) {
  if (attached_ && result.outcome != Outcome::kStopped) {
    const bool by_signal = result.outcome == Outcome::kFault && !signal_.empty();
    link_.send(by_signal ? "X" + signal_ : "W" + to_hex(static_cast<uint8_t>(exit_status)));
  }
  link_.close();
}

void Gdb::stop(const std::string &reply) {
  std::fflush(stdout);
  reply_ = reply;
  link_.send(reply);
  serve();
}

void Gdb::serve() {
  motion_ = Motion::kStands;
  stopped_at_ = hart().pc;
  while (motion_ == Motion::kStands && attached_) {
    const std::optional<std::string> packet = link_.receive();
    if (!packet || *packet == "k") {
      throw Stopped();
    }
    const std::string reply = answer(*packet);
    if (motion_ == Motion::kStands) {
      link_.send(reply);
    }
  }
  resumed_at_ = hart().pc;
  resumed_after_ = hart().counters.instructions;
}

std::string Gdb::answer(const std::string &packet) {
  const std::string rest = packet.empty() ? "" : packet.substr(1);
  switch (packet.empty() ? '\0' : packet[0]) {
    case '?':
      return reply_;
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(rest);
    case 'p':
      return read_one_register(rest);
    case 'P':
      return write_one_register(rest);
    case 'm':
      return read_memory(rest);
    case 'M':
      return write_memory(rest, false);
    case 'X':
      return write_memory(rest, true);
    case 'z':
    case 'Z':
      return change_point(packet);
    case 'c':
    case 's':
    case 'C':
    case 'S':
      return resume(packet);
    case 'D':
      attached_ = false;
      return kDone;
    case 'H':
    case 'T':
      return kDone;
    case 'q':
    case 'Q':
      return answer_query(packet);
    case 'v':
      return answer_verbose(packet);
    default:
      return kUnknown;
  }
}

std::string Gdb::answer_verbose(const std::string &packet) {
  if (packet == "vCont?") {
    return "vCont;c;C;s;S";
  }
  if (starts_with(packet, "vCont;")) {
    // The first action is the one thread's.
    const std::string action = packet.substr(6, packet.find_first_of(":;", 6) - 6);
    return resume(action);
  }
  if (starts_with(packet, "vKill")) {
    link_.send(kDone);
    throw Stopped();
  }
  return kUnknown;
}

// Z or z, a type, address and length.
std::string Gdb::change_point(const std::string &packet) {
  constexpr size_t kRangeStart = 3;
  const std::optional<Range> range =
      packet.size() > kRangeStart ? parse_range(packet.substr(kRangeStart)) : std::nullopt;
  const char type = packet.size() > 1 ? packet[1] : '\0';
  if (!range || type < '0' || type > '4') {
    return range ? kUnknown : kRefused;
  }
  const bool inserts = packet[0] == 'Z';
  if (type <= '1') {
    inserts ? (void)breakpoints_.insert({type, range->first}) : (void)breakpoints_.erase({type, range->first});
    return kDone;
  }
  const Watchpoint point = {type, range->first, range->second};
  std::erase(watchpoints_, point);
  if (inserts) {
    watchpoints_.push_back(point);
  }
  return kDone;
}

// c or s with an address, C or S with a signal; a signal lets a fault end the run.
std::string Gdb::resume(const std::string &action) {
  const char kind = action.empty() ? '\0' : action[0];
  const std::string rest = action.empty() ? "" : action.substr(1);
  signal_ = "";
  if (kind == 'C' || kind == 'S') {
    signal_ = rest.substr(0, rest.find(';'));
    if (signal_.size() != 2 || !parse_hex(signal_)) {
      signal_ = "";
      return kRefused;
    }
    signal_ = signal_ == "00" ? "" : signal_;
  } else if (kind != 'c' && kind != 's') {
    return kRefused;
  } else if (!rest.empty()) {
    const std::optional<uint32_t> address = parse_hex(rest);
    if (!address) {
      return kRefused;
    }
    hart().pc = *address & ~1U;
  }
  motion_ = kind == 'c' || kind == 'C' ? Motion::kRuns : Motion::kSteps;
  return kDone;
}

}  // namespace tinsmith::soc
