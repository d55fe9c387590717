#include "platforms/simulators/soc/model/description.h"

#include <bit>
#include <fstream>
#include <map>
#include <set>

namespace tinsmith::soc {
namespace {

using Field = uint32_t &(*)(Description &);

#define FIELD(name) {#name, [](Description &d) -> uint32_t & { return d.name; }}
#define CORE_FIELD(name) {#name, [](Description &d) -> uint32_t & { return d.core.name; }}

const std::map<std::string, Field> kFields = {
    FIELD(cluster_cores),
    FIELD(cluster_workers),
    FIELD(fabric_controller),
    FIELD(fc_hart),
    FIELD(l1_base),
    FIELD(l1_bytes),
    FIELD(l1_banks),
    FIELD(cluster_alias_bytes),
    FIELD(test_and_set_offset),
    FIELD(cluster_control),
    FIELD(cluster_timer),
    FIELD(accelerator),
    FIELD(icache_control),
    FIELD(dma_peripheral),
    FIELD(event_unit),
    FIELD(event_unit_peripheral),
    FIELD(dma),
    FIELD(l2_base),
    FIELD(l2_bytes),
    FIELD(fc_icache_control),
    FIELD(interrupt_controller),
    FIELD(soc_events),
    FIELD(fc_timer),
    FIELD(exit_register),
    FIELD(stdout_register),
    CORE_FIELD(branch_taken),
    CORE_FIELD(jump),
    CORE_FIELD(multiply),
    CORE_FIELD(multiply_high),
    CORE_FIELD(divide_base),
    CORE_FIELD(load_use),
    CORE_FIELD(csr_slow),
    CORE_FIELD(fence_i),
    CORE_FIELD(event_load),
    CORE_FIELD(interrupt),
    CORE_FIELD(interrupt_wake),
    FIELD(interrupt_lines),
    FIELD(interrupt_reset),
    CORE_FIELD(float_operation),
    CORE_FIELD(float_divide),
    FIELD(misaligned),
    FIELD(l2_cluster),
    FIELD(l2_fc),
    FIELD(l1_fc),
    FIELD(apb_fc),
    FIELD(apb_cluster),
    FIELD(peripheral),
    FIELD(peripheral_interconnect),
    FIELD(icache_line),
    FIELD(icache_l0_sets),
    FIELD(icache_l0_sets_controller),
    FIELD(icache_l0_ways),
    FIELD(icache_l0_miss),
    FIELD(icache_l1_sets),
    FIELD(icache_l1_ways),
    FIELD(icache_l1_miss),
    FIELD(event_dma),
    FIELD(event_dma_interrupt),
    FIELD(event_timer_low),
    FIELD(event_timer_high),
    FIELD(event_accelerator),
    FIELD(event_barrier),
    FIELD(event_mutex),
    FIELD(event_dispatch),
    FIELD(event_soc),
    FIELD(soc_event_queue),
    FIELD(fc_interrupt_dma),
    FIELD(fc_interrupt_dma_interrupt),
    FIELD(fc_interrupt_timer_low),
    FIELD(fc_interrupt_timer_high),
    FIELD(fc_interrupt_cluster_done),
    FIELD(fc_interrupt_soc),
    FIELD(fc_soc_event_queue),
    FIELD(soc_event_software),
    FIELD(barrier),
    FIELD(event_wake),
    FIELD(dispatch_wake),
    FIELD(dma_identifiers),
    FIELD(dma_setup),
    FIELD(dma_setup_2d),
    FIELD(dma_bytes_per_cycle),
    FIELD(dma_line_least),
    FIELD(dma_burst),
    FIELD(dma_store_bursts),
};

std::string strip(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r");
  const size_t last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

uint32_t parse_number(const std::string &text, const std::string &where) {
  try {
    size_t used = 0;
    const unsigned long value = std::stoul(text, &used, 0);
    if (used == text.size() && value <= UINT32_MAX) {
      return static_cast<uint32_t>(value);
    }
  } catch (const std::logic_error &) {
    // said below
  }
  throw BadFile(where + ": expected a number of 32 bits, found '" + text + "'");
}

std::string assign(Description &description, const std::string &line, const std::string &where) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) {
    throw BadFile(where + ": expected `key = value`, found '" + line + "'");
  }
  const std::string key = strip(line.substr(0, equals));
  const auto found = kFields.find(key);
  if (found == kFields.end()) {
    throw BadFile(where + ": no constant is called '" + key + "'");
  }
  found->second(description) = parse_number(strip(line.substr(equals + 1)), where);
  return key;
}

// Another description, beside this one, whose constants hold unless this one changes them.
std::string base_of(const std::string &line, const std::string &path) {
  constexpr const char kBase[] = "base ";
  if (line.rfind(kBase, 0) != 0) {
    return "";
  }
  const size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string::npos ? 0 : slash + 1) + strip(line.substr(sizeof kBase - 1));
}

void read_lines(const std::string &path, Description &description, std::set<std::string> &assigned) {
  std::ifstream file(path);
  if (!file) {
    throw BadFile(path + ": cannot be read");
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = strip(line.substr(0, line.find('#')));
    const std::string where = path + ":" + std::to_string(number);
    const std::string base = base_of(text, path);
    if (!base.empty()) {
      if (!assigned.empty()) {
        throw BadFile(where + ": `base` comes before all constants, and once");
      }
      read_lines(base, description, assigned);
    } else if (!text.empty()) {
      assigned.insert(assign(description, text, where));
    }
  }
}

void require(bool holds, const char *what) {
  if (!holds) {
    throw BadFile(std::string("description: ") + what);
  }
}

// An event is a bit of a word.
void check_events(const Description &d) {
  for (const uint32_t event :
       {d.event_dma, d.event_dma_interrupt, d.event_timer_low, d.event_timer_high, d.event_accelerator, d.event_barrier,
        d.event_mutex, d.event_dispatch, d.event_soc, d.fc_interrupt_dma, d.fc_interrupt_dma_interrupt,
        d.fc_interrupt_timer_low, d.fc_interrupt_timer_high, d.fc_interrupt_cluster_done, d.fc_interrupt_soc}) {
    require(event < 32, "events and interrupts have numbers below 32");
  }
  require(d.event_accelerator <= 28, "an accelerator has four events");
  require(d.soc_event_software <= 248, "the chip's events have numbers below 256");
}

}  // namespace

Description read_description(const std::string &path) {
  Description description{};
  std::set<std::string> assigned;
  read_lines(path, description, assigned);
  for (const auto &[key, field] : kFields) {
    if (assigned.count(key) == 0) {
      throw BadFile(path + ": '" + key + "' is missing");
    }
  }
  return description;
}

void override_constant(Description &description, const std::string &assignment) {
  assign(description, assignment, "--set");
}

void check(const Description &description) {
  require(description.cluster_cores + description.fabric_controller > 0, "there must be a core");
  require(description.cluster_cores <= 16, "cluster_cores may be 16 at most");
  require(description.fc_hart >= description.cluster_cores, "fc_hart is the number of a core of the cluster");
  check_events(description);
  require(std::has_single_bit(description.l1_banks), "l1_banks must be a power of two");
  require(std::has_single_bit(description.icache_line), "icache_line must be a power of two");
  require(std::has_single_bit(description.icache_l0_sets), "icache_l0_sets must be a power of two");
  require(std::has_single_bit(description.icache_l0_sets_controller), "icache_l0_sets_controller: a power of two");
  require(std::has_single_bit(description.icache_l1_sets), "icache_l1_sets must be a power of two");
  require(description.icache_l0_ways > 0 && description.icache_l1_ways > 0, "caches need ways");
  require(description.dma_bytes_per_cycle > 0 && description.dma_burst > 0, "the DMA must move something");
  require(description.dma_identifiers >= 1 && description.dma_identifiers <= 16, "dma_identifiers is 1 to 16");
  require(description.l1_bytes % 4096 == 0 && description.l2_bytes % 4096 == 0, "memories are multiples of 4096 bytes");
  require(description.l1_base % 4096 == 0 && description.l2_base % 4096 == 0, "memories start at multiples of 4096");
  require(description.core.branch_taken > 0 && description.core.jump > 0 && description.core.multiply > 0 &&
              description.core.multiply_high > 0 && description.core.divide_base > 0 && description.core.csr_slow > 0 &&
              description.core.fence_i > 0 && description.core.event_load > 0 && description.core.float_operation > 0 &&
              description.core.float_divide > 0 && description.l2_cluster > 0 && description.l2_fc > 0 &&
              description.l1_fc > 0 && description.apb_fc > 0 && description.apb_cluster > 0 &&
              description.peripheral > 0 && description.peripheral_interconnect > 0 && description.barrier > 0,
          "an instruction takes a cycle at least");
}

}  // namespace tinsmith::soc
