#include "platforms/simulators/soc/model/description.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "platforms/simulators/soc/model/number.h"

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
    FIELD(l1_private),
    FIELD(cluster_alias_bytes),
    FIELD(test_and_set_offset),
    FIELD(cluster_control),
    FIELD(cluster_timer),
    FIELD(icache_control),
    FIELD(dma_peripheral),
    FIELD(event_unit),
    FIELD(event_unit_peripheral),
    FIELD(dma),
    FIELD(l2_base),
    FIELD(l2_bytes),
    FIELD(l2_private_bytes),
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
    FIELD(cluster_corev),
    FIELD(fc_corev),
    FIELD(float_reset),
    FIELD(counters_stopped_reset),
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

uint32_t parse_constant(const std::string &text, const std::string &where) {
  const std::optional<uint64_t> value = parse_number(text);
  if (!value || *value > UINT32_MAX) {
    throw BadFile(where + ": expected a number of 32 bits, found '" + text + "'");
  }
  return static_cast<uint32_t>(*value);
}

std::string assign(Description &description, const std::string &line, const std::string &where) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) {
    throw BadFile(where + ": expected `key = value`, found '" + line + "'");
  }
  const std::string key = strip(line.substr(0, equals));
  const auto found = kFields.find(key);
  if (found == kFields.end()) {
    throw BadFile(where + ": no constant is called '" + key + "'; chips/pulp-open.soc has them all");
  }
  found->second(description) = parse_constant(strip(line.substr(equals + 1)), where);
  return key;
}

// A part of this name that the base has is replaced.
void put(Description &description, const Part &part) {
  const auto same = std::find_if(description.parts.begin(), description.parts.end(),
                                 [&](const Part &p) { return p.name == part.name; });
  if (same == description.parts.end()) {
    description.parts.push_back(part);
  } else {
    *same = part;
  }
}

// Whoever makes the part refuses a setting that it does not have.
void override_setting(Description &description, const std::string &name, const std::string &key, uint32_t value) {
  const auto part =
      std::find_if(description.parts.begin(), description.parts.end(), [&](const Part &p) { return p.name == name; });
  if (part == description.parts.end()) {
    throw BadFile("--set: the chip has no memory or device called '" + name + "'");
  }
  part->numbers[key] = value;
  part->where += " (--set " + key + ")";
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

constexpr int kMostBases = 16;

// depth: how many files led here, so that one that is its own base comes to an end.
void read_lines(const std::string &path, Description &description, std::set<std::string> &assigned, int depth) {
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    throw BadFile(path + ": cannot be read, or is empty");
  }
  if (depth > kMostBases) {
    throw BadFile(path + ": `base` leads from file to file without an end");
  }
  std::set<std::string> here;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = strip(line.substr(0, line.find('#')));
    const std::string where = path + ":" + std::to_string(number);
    const std::string base = base_of(text, path);
    if (!base.empty()) {
      if (!assigned.empty()) {
        throw BadFile(where + ": `base` comes before all constants, and once");
      }
      read_lines(base, description, assigned, depth + 1);
    } else if (!text.empty()) {
      const std::optional<Part> part = parse_part(text, where);
      const std::string key = part ? part->name : assign(description, text, where);
      if (part) {
        put(description, *part);
      } else {
        assigned.insert(key);
      }
      if (!here.insert(key).second) {
        throw BadFile(where + ": '" + key + "' is given a second time");
      }
    }
  }
}

void require(bool holds, const std::string &what) {
  if (!holds) {
    throw BadFile(what);
  }
}

void require_power_of_two(const char *name, uint32_t value) {
  require(std::has_single_bit(value), std::string(name) + " must be a power of two, not " + std::to_string(value));
}

void require_pages(const char *name, uint32_t value) {
  constexpr uint32_t kPageBytes = 4096;
  require(value % kPageBytes == 0, std::string(name) + " must be a multiple of 4096, not " + std::to_string(value));
}

// So much that no chip has more, and so little that a host has it.
void require_at_most(const char *name, uint64_t value, uint64_t most) {
  require(value <= most,
          std::string(name) + " may be " + std::to_string(most) + " at most, not " + std::to_string(value));
}

void check_memories(const Description &d) {
  constexpr uint32_t kMostBytes = 1U << 28;
  require_pages("l1_bytes", d.l1_bytes);
  require_pages("l2_bytes", d.l2_bytes);
  require_pages("l1_base", d.l1_base);
  require_pages("l2_base", d.l2_base);
  require_pages("cluster_alias_bytes", d.cluster_alias_bytes);
  require_pages("l2_private_bytes", d.l2_private_bytes);
  require_at_most("l2_private_bytes", d.l2_private_bytes, d.l2_bytes);
  require_at_most("l1_private", d.l1_private, 1);
  require_at_most("l1_bytes", d.l1_bytes, kMostBytes);
  require_at_most("l2_bytes", d.l2_bytes, kMostBytes);
  require_at_most("the end of L1", uint64_t{d.l1_base} + d.l1_bytes, UINT32_MAX);
  require_at_most("the end of L2", uint64_t{d.l2_base} + d.l2_bytes, UINT32_MAX);
  require_power_of_two("l1_banks", d.l1_banks);
  require_at_most("l1_banks", d.l1_banks, 1U << 16);
}

void check_caches(const Description &d) {
  constexpr uint64_t kMostLines = 1U << 20;
  require_power_of_two("icache_line", d.icache_line);
  require_power_of_two("icache_l0_sets", d.icache_l0_sets);
  require_power_of_two("icache_l0_sets_controller", d.icache_l0_sets_controller);
  require_power_of_two("icache_l1_sets", d.icache_l1_sets);
  require(d.icache_l0_ways > 0 && d.icache_l1_ways > 0, "icache_l0_ways and icache_l1_ways must be 1 or more");
  require_at_most("icache_l0_sets * icache_l0_ways", uint64_t{d.icache_l0_sets} * d.icache_l0_ways, kMostLines);
  require_at_most("icache_l0_sets_controller * icache_l0_ways",
                  uint64_t{d.icache_l0_sets_controller} * d.icache_l0_ways, kMostLines);
  require_at_most("icache_l1_sets * icache_l1_ways", uint64_t{d.icache_l1_sets} * d.icache_l1_ways, kMostLines);
}

// What only a cluster has must not be asked for where there is none, nor taken from one that is there.
void check_cluster(const Description &d) {
  if (d.has_cluster()) {
    require(d.l1_private == 0, "l1_private: a cluster's cores work in L1; expected 0, or cluster_cores = 0");
    return;
  }
  const std::string none = " belongs to a cluster, and cluster_cores is 0; expected 0, not ";
  require(d.cluster_workers == 0, "cluster_workers" + none + std::to_string(d.cluster_workers));
  require(d.cluster_alias_bytes == 0, "cluster_alias_bytes" + none + std::to_string(d.cluster_alias_bytes));
}

// An event is a bit of a word.
void check_events(const Description &d) {
  for (const uint32_t event :
       {d.event_dma, d.event_dma_interrupt, d.event_timer_low, d.event_timer_high, d.event_barrier, d.event_mutex,
        d.event_dispatch, d.event_soc, d.fc_interrupt_dma, d.fc_interrupt_dma_interrupt, d.fc_interrupt_timer_low,
        d.fc_interrupt_timer_high, d.fc_interrupt_cluster_done, d.fc_interrupt_soc}) {
    require(event < 32, "events and interrupts have numbers below 32, not " + std::to_string(event));
  }
  require(d.soc_event_software <= 248, "soc_event_software is the first of eight, 248 at most");
}

void check_times(const Description &d) {
  for (const uint32_t cycles :
       {d.core.branch_taken, d.core.jump, d.core.multiply, d.core.multiply_high, d.core.divide_base, d.core.csr_slow,
        d.core.fence_i, d.core.event_load, d.core.float_operation, d.core.float_divide, d.l2_cluster, d.l2_fc, d.l1_fc,
        d.apb_fc, d.apb_cluster, d.peripheral, d.peripheral_interconnect, d.barrier}) {
    require(cycles > 0, "instructions and accesses take a cycle at least, not 0");
  }
}

}  // namespace

Description read_description(const std::string &path) {
  Description description{};
  std::set<std::string> assigned;
  read_lines(path, description, assigned, 0);
  for (const auto &[key, field] : kFields) {
    if (assigned.count(key) == 0) {
      throw BadFile(path + ": '" + key + "' is missing, as are " +
                    std::to_string(kFields.size() - assigned.size() - 1) +
                    " more; `base FILE` as the first line takes those of another chip");
    }
  }
  return description;
}

void override_constant(Description &description, const std::string &assignment) {
  const size_t equals = assignment.find('=');
  const size_t dot = assignment.find('.');
  if (dot < equals && equals != std::string::npos) {
    return override_setting(description, strip(assignment.substr(0, dot)),
                            strip(assignment.substr(dot + 1, equals - dot - 1)),
                            parse_constant(strip(assignment.substr(equals + 1)), "--set"));
  }
  assign(description, assignment, "--set");
}

void add_part(Description &description, const std::string &line) {
  const std::optional<Part> part = parse_part(line, "--part");
  if (!part) {
    throw BadFile("--part: expected `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`, found '" + line +
                  "'");
  }
  put(description, *part);
}

void check(const Description &d) {
  require_at_most("cluster_cores", d.cluster_cores, 16);
  require_at_most("fabric_controller", d.fabric_controller, 1);
  require(d.cluster_cores + d.fabric_controller > 0, "there must be a core: cluster_cores or fabric_controller");
  require(d.fc_hart >= d.cluster_cores, "fc_hart is the number of a core of the cluster");
  check_cluster(d);
  check_memories(d);
  check_caches(d);
  check_events(d);
  require(d.dma_bytes_per_cycle > 0 && d.dma_burst > 0, "dma_bytes_per_cycle and dma_burst must be 1 or more");
  require(d.dma_identifiers >= 1 && d.dma_identifiers <= 16,
          "dma_identifiers is 1 to 16, not " + std::to_string(d.dma_identifiers));
  require_at_most("cluster_corev", d.cluster_corev, 1);
  require_at_most("fc_corev", d.fc_corev, 1);
  require_at_most("float_reset", d.float_reset, 3);
  check_times(d);
}

}  // namespace tinsmith::soc
