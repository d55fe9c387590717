// A chip as data: memory map and the constants of the cycle model, read from a file of `key = value` lines, and of the
// lines that part.h describes. The first may be `base FILE`: another chip, of which this one changes something.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DESCRIPTION_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DESCRIPTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/part.h"

namespace tinsmith::soc {

// chips/pulp-open.soc explains each, with the source of its number. Sizes in bytes, times in cycles.
struct Description {
  uint32_t cluster_cores;
  uint32_t cluster_workers;
  uint32_t fabric_controller;
  uint32_t fc_hart;
  uint32_t l1_base;
  uint32_t l1_bytes;
  uint32_t l1_banks;
  uint32_t l1_private;
  uint32_t cluster_alias_bytes;
  uint32_t test_and_set_offset;
  uint32_t cluster_control;
  uint32_t cluster_timer;
  uint32_t icache_control;
  uint32_t dma_peripheral;
  uint32_t event_unit;
  uint32_t event_unit_peripheral;
  uint32_t dma;
  uint32_t l2_base;
  uint32_t l2_bytes;
  uint32_t l2_private_bytes;
  uint32_t fc_icache_control;
  uint32_t interrupt_controller;
  uint32_t soc_events;
  uint32_t fc_timer;
  uint32_t exit_register;
  uint32_t stdout_register;

  CoreTiming core;
  uint32_t interrupt_lines;
  uint32_t interrupt_reset;
  uint32_t cluster_corev;
  uint32_t fc_corev;
  uint32_t float_reset;
  uint32_t counters_stopped_reset;
  uint32_t misaligned;
  uint32_t l2_cluster;
  uint32_t l2_fc;
  uint32_t l1_fc;
  uint32_t apb_fc;
  uint32_t apb_cluster;
  uint32_t peripheral;
  uint32_t peripheral_interconnect;
  uint32_t icache_line;
  uint32_t icache_l0_sets;
  uint32_t icache_l0_sets_controller;
  uint32_t icache_l0_ways;
  uint32_t icache_l0_miss;
  uint32_t icache_l1_sets;
  uint32_t icache_l1_ways;
  uint32_t icache_l1_miss;
  uint32_t event_dma;
  uint32_t event_dma_interrupt;
  uint32_t event_timer_low;
  uint32_t event_timer_high;
  uint32_t event_barrier;
  uint32_t event_mutex;
  uint32_t event_dispatch;
  uint32_t event_soc;
  uint32_t soc_event_queue;
  uint32_t fc_interrupt_dma;
  uint32_t fc_interrupt_dma_interrupt;
  uint32_t fc_interrupt_timer_low;
  uint32_t fc_interrupt_timer_high;
  uint32_t fc_interrupt_cluster_done;
  uint32_t fc_interrupt_soc;
  uint32_t fc_soc_event_queue;
  uint32_t soc_event_software;
  uint32_t barrier;
  uint32_t event_wake;
  uint32_t dispatch_wake;
  uint32_t dma_identifiers;
  uint32_t dma_setup;
  uint32_t dma_setup_2d;
  uint32_t dma_bytes_per_cycle;
  uint32_t dma_line_least;
  uint32_t dma_burst;
  uint32_t dma_store_bursts;

  std::vector<Part> parts;  // in the order of their lines

  // A chip without one is a fabric controller alone: no event unit, DMA, timers, control unit or caches of a cluster.
  bool has_cluster() const {
    return cluster_cores != 0;
  }
};

// Raises BadFile if a key is missing, unknown or without a number.
Description read_description(const std::string &path);

// Changes one constant, given as `key=value`, or one setting of a part, as `part.key=value`.
void override_constant(Description &description, const std::string &assignment);

// Adds a part, given as its line of a chip's file.
void add_part(Description &description, const std::string &line);

// Raises BadFile if the numbers make no chip.
void check(const Description &description);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DESCRIPTION_H_
