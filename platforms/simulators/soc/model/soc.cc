// How a chip is put together, loaded and started, and what its cores ask of it besides accesses.

#include "platforms/simulators/soc/model/soc.h"

#include <algorithm>
#include <iterator>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

std::vector<std::unique_ptr<Hart>> make_harts(const Description &description, Port &port) {
  std::vector<std::unique_ptr<Hart>> harts;
  for (uint32_t core = 0; core < description.cluster_cores; ++core) {
    harts.push_back(std::make_unique<Hart>(core, port, description.core));
  }
  if (description.fabric_controller != 0) {
    harts.push_back(std::make_unique<Hart>(description.fc_hart, port, description.core));
  }
  for (const auto &hart : harts) {
    hart->connect_interrupts(description.interrupt_lines, description.interrupt_reset);
    hart->reset_csrs(description.float_reset, description.counters_stopped_reset);
    if ((hart->id == description.fc_hart ? description.fc_corev : description.cluster_corev) == 0) {
      hart->leave_out_corev();
    }
  }
  return harts;
}

std::vector<Hart *> cluster_of(const Description &description, const std::vector<std::unique_ptr<Hart>> &harts) {
  std::vector<Hart *> cluster;
  for (uint32_t core = 0; core < description.cluster_cores; ++core) {
    cluster.push_back(harts[core].get());
  }
  return cluster;
}

std::vector<DeviceRegion> all_devices(const Description &description, const std::vector<Attached> &attached) {
  std::vector<DeviceRegion> devices = devices_of(description);
  for (const Attached &each : attached) {
    devices.push_back(each.region);
  }
  return devices;
}

}  // namespace

Soc::Soc(const Description &description, const Program &program, const Options &options)
    : description_(description),
      options_(options),
      memories_(description_),
      attached_(attached_to(description_, memories_)),
      devices_(all_devices(description_, attached_)),
      harts_(make_harts(description_, *this)),
      fetches_(harts_.size()),
      profile_(program.functions, harts_.size(), options.keep_slices),
      icache_(description_),
      events_(description_, cluster_of(description_, harts_)),
      interrupts_(description_, description_.fabric_controller != 0 ? harts_.back().get() : nullptr),
      dma_(description_, memories_, dma_surroundings()),
      semihosting_(program_memory()),
      bank_free_(description.l1_banks),
      boot_addresses_(description.cluster_cores, program.entry),
      waits_for_dma_(harts_.size()),
      touched_(options.race_check ? description.l1_bytes : 0) {
  has_plain_core_ = std::any_of(harts_.begin(), harts_.end(), [](const auto &hart) { return !hart->has_corev(); });
  for (const Attached &each : attached_) {
    events_.add_device(each.event, each.device->awaited());
  }
  watch();
  place(program);
  start(program);
}

// Where a segment is loaded is for its data; where it runs must be free for all of it.
void Soc::place(const Program &program) {
  for (const Segment &segment : program.segments) {
    const auto data_bytes = static_cast<uint32_t>(segment.data.size());
    memory_for(segment.address, segment.bytes_in_memory);
    if (data_bytes != 0) {
      const uint32_t target = resolve(segment.load_address);
      memory_for(segment.load_address, data_bytes).copy_in(target, segment.data.data(), data_bytes);
    }
  }
}

Memory &Soc::memory_for(uint32_t address, uint32_t bytes) {
  const uint32_t resolved = resolve(address);
  MemoryRegion *region = memories_.find_any(resolved, bytes);
  if (region == nullptr) {
    throw BadFile("the program's segment at 0x" + hexadecimal(address) + ", " + std::to_string(bytes) +
                  " bytes, lies outside the chip's memories: " + memories_.text());
  }
  return region->memory;
}

void Soc::start(const Program &program) {
  if (options_.start_cluster && !description_.has_cluster()) {
    throw BadFile("--start-cluster: the chip has no cluster, cluster_cores is 0");
  }
  const bool whole_cluster = options_.start_cluster || description_.fabric_controller == 0;
  for (const auto &hart : harts_) {
    hart->running = whole_cluster != is_fabric_controller(*hart);
    hart->pc = program.entry;
  }
}

std::string Soc::core_name(size_t core) const {
  return core < description_.cluster_cores ? "core " + std::to_string(core) : "fabric controller";
}

size_t Soc::device_tracks() const {
  return attached_.empty() ? 0 : attached_.back().track + attached_.back().device->tracks().size();
}

std::string Soc::track_name(size_t track) const {
  if (track < harts_.size()) {
    return core_name(track);
  }
  if (track + 1 == tracks()) {
    return "stages";
  }
  const size_t first = harts_.size() + dma_tracks();  // of the attached devices
  if (track < first) {
    return "DMA " + std::to_string(track - harts_.size());
  }
  const auto behind = std::find_if(attached_.begin(), attached_.end(),
                                   [&](const Attached &each) { return each.track > track - first; });
  const Attached &device = *std::prev(behind);
  const std::string name = device.device->tracks()[track - first - device.track];
  return device.name + (name.empty() ? "" : " " + name);
}

bool Soc::is_fabric_controller(const Hart &hart) const {
  return hart.id == description_.fc_hart;
}

uint32_t Soc::cluster_number(const Hart &hart) const {
  return is_fabric_controller(hart) ? description_.cluster_cores : hart.id;
}

void Soc::mark(Hart &hart, uint32_t region, bool begins) {
  profile_.mark(cluster_number(hart), hart, region, begins);
}

void Soc::end_stage(Hart &hart, uint32_t stage) {
  profile_.end_stage(harts_, hart.time, stage, static_cast<uint32_t>(tracks() - 1));
}

void Soc::slept(Hart &hart, uint64_t since, Stall cause) {
  profile_.slept(cluster_number(hart), hart, since, cause);
  if (hart.time != since) {
    profile_.add_slice({cluster_number(hart), since, hart.time, sleep_name(cause)});
  }
}

void Soc::acknowledge_interrupt(Hart &hart, uint32_t line) {
  waits_for_dma_[cluster_number(hart)] = false;  // it asks again after the handler
  if (is_fabric_controller(hart)) {
    interrupts_.acknowledge_interrupt(line, hart.time);
  } else {
    events_.acknowledge_interrupt(hart.id, line, hart.time);
  }
}

// A call for the host is an ebreak between two instructions that do nothing elsewhere [RISC-V Semihosting].
void Soc::breakpoint(Hart &hart) {
  constexpr uint32_t kBefore = 0x01F01013;  // slli x0, x0, 31
  constexpr uint32_t kBehind = 0x40705013;  // srai x0, x0, 7
  constexpr uint32_t kA0 = 10;
  constexpr uint32_t kA1 = 11;
  const uint32_t address = resolve(hart.pc);
  const Memory &memory = memory_at(address, 2);
  const bool is_call = options_.semihosting && memory.holds(address - 4, 12) &&
                       memory.read(address - 4, 4) == kBefore && memory.read(address + 4, 4) == kBehind;
  if (!is_call) {
    Port::breakpoint(hart);
    return;
  }
  hart.set(kA0, semihosting_.call(hart.x[kA0], hart.x[kA1]));
  if (const std::optional<uint32_t> status = semihosting_.exit_status()) {
    exited_ = true;
    exit_code_ = *status;
  }
}

Memory &Soc::memory_at(uint32_t address, uint32_t bytes) {
  MemoryRegion *region = memories_.find_any(address, bytes);
  if (region == nullptr) {
    throw Fault(std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) + " lie in no memory");
  }
  return region->memory;
}

Semihosting::ProgramMemory Soc::program_memory() {
  return {
      [this](uint32_t address, uint8_t *target, uint32_t bytes) {
        memory_at(resolve(address), bytes).copy_out(resolve(address), target, bytes);
      },
      [this](uint32_t address, const uint8_t *source, uint32_t bytes) {
        memory_at(resolve(address), bytes).copy_in(resolve(address), source, bytes);
      },
  };
}

}  // namespace tinsmith::soc
