#include "platforms/simulators/soc/tool/log.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr size_t kCycleColumns = 10;
constexpr size_t kTextColumns = 54;

std::string padded_left(const std::string &text, size_t columns) {
  return std::string(text.size() < columns ? columns - text.size() : 0, ' ') + text;
}

void pad_right(std::string &text, size_t columns) {
  text.resize(std::max(text.size(), columns), ' ');
}

bool writes_register(const Instruction &instruction) {
  return instruction.rd != 0 && instruction.row->operands.find('d') != std::string::npos;
}

bool writes_float_register(const Instruction &instruction) {
  return instruction.row->operands.find('D') != std::string::npos;
}

}  // namespace

Log::Log(const std::string &path, Soc &soc, const LogLimits &limits)
    : soc_(soc), path_(path), limits_(limits), out_(path), functions_(soc.harts().size()) {
  if (!out_) {
    throw BadFile(path + ": cannot be written");
  }
}

void Log::before_step(size_t core) {
  if (limits_.core && core != *limits_.core) {
    return;
  }
  Hart &hart = *soc_.harts()[core];
  before_ = {hart.pc, hart.time, hart.x, hart.f, hart.loops, hart.fcsr()};
  access_.reset();
}

void Log::accessed(const Hart &, const Access &access) {
  access_ = access;
}

void Log::executed(size_t core, const Instruction &instruction) {
  if (limits_.core && core != *limits_.core) {
    return;
  }
  const Line &line = line_of(instruction, before_.pc);
  if (!line.wanted) {
    return;
  }
  const std::string name = soc_.core_label(core);
  if (functions_[core] != line.function) {
    functions_[core] = line.function;
    out_ << "# " << name << ' ' << soc_.profile().function_name(line.function) << '\n';
  }
  text_ = padded_left(std::to_string(before_.cycle), kCycleColumns) + ' ' + padded_left(name, 2) + ' ' + line.text;
  Hart &hart = *soc_.harts()[core];
  note_access();
  note_registers(hart, instruction);
  note_float_control(hart);
  note_loops(hart);
  text_.erase(text_.find_last_not_of(' ') + 1);
  text_ += '\n';
  out_ << text_;
}

void Log::close() {
  out_.close();
  if (!out_) {
    throw BadFile(path_ + ": cannot be written to its end");
  }
}

bool Log::is_wanted(uint32_t pc) const {
  if (pc < limits_.begin || pc >= limits_.end) {
    return false;
  }
  const Profile &profile = soc_.profile();
  return limits_.function.empty() || profile.function_name(profile.function_at(pc)) == limits_.function;
}

const Log::Line &Log::line_of(const Instruction &instruction, uint32_t pc) {
  const auto [entry, is_new] = lines_.try_emplace(pc);
  Line &line = entry->second;
  if (is_new || line.word != instruction.word) {
    const bool compressed = instruction.size == 2;
    uint8_t bytes[2] = {};
    soc_.peek(pc, sizeof(bytes), bytes);
    const uint32_t bits = compressed ? bytes[0] | uint32_t{bytes[1]} << 8 : instruction.word;
    line.word = instruction.word;
    line.wanted = is_wanted(pc);
    line.function = soc_.profile().function_at(pc);
    line.text = hexadecimal(pc) + ' ' + padded_left(hexadecimal(bits).substr(compressed ? 4 : 0), 8) + "  " +
                disassemble(instruction, pc);
    pad_right(line.text, kTextColumns);
  }
  return line;
}

void Log::note(const std::string &name, uint32_t value, uint32_t digits) {
  text_ += ' ' + name + '=' + hexadecimal(value).substr(8 - digits);
}

void Log::note_access() {
  if (access_) {
    text_ += " [" + hexadecimal(access_->address) + (access_->is_store ? "]=" : "]:") +
             hexadecimal(access_->value).substr(8 - 2 * access_->bytes);
  }
}

void Log::note_registers(const Hart &hart, const Instruction &instruction) {
  const bool writes = writes_register(instruction);
  for (uint32_t i = 1; i < 32; ++i) {
    if (hart.x[i] != before_.x[i] || (writes && i == instruction.rd)) {
      note(register_name(i), hart.x[i]);
    }
  }
  const bool writes_float = writes_float_register(instruction);
  for (uint32_t i = 0; i < 32; ++i) {
    if (hart.f[i] != before_.f[i] || (writes_float && i == instruction.rd)) {
      note(float_register_name(i), hart.f[i]);
    }
  }
}

void Log::note_float_control(Hart &hart) {
  const uint32_t changed = hart.fcsr() ^ before_.fcsr;
  if (field(changed, 4, 0) != 0) {
    note("fflags", hart.fflags, 2);
  }
  if (field(changed, 7, 5) != 0) {
    note("frm", field(hart.fcsr(), 7, 5), 1);
  }
}

void Log::note_loops(const Hart &hart) {
  for (uint32_t i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i);
    const HardwareLoop &now = hart.loops[i];
    const HardwareLoop &before = before_.loops[i];
    if (now.start != before.start) {
      note("lpstart" + number, now.start);
    }
    if (now.end != before.end) {
      note("lpend" + number, now.end);
    }
    if (now.count != before.count) {
      note("lpcount" + number, now.count);
    }
  }
}

}  // namespace tinsmith::soc
