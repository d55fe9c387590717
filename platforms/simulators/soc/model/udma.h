// A uDMA: copies between a remote memory (HyperRAM) and L2, of any length, one after the other, while the cores work.
//
// PULP's uDMA has a channel for each peripheral, with registers for the memory's side and for L2's, and takes the next
// transfer while one runs. Here is the part of it that a program sees, with registers of its own, at offsets
// 0x00 SOURCE and 0x04 TARGET (multiples of 4), 0x08 BYTES, 0x0C START (write: a copy with these joins the queue),
// 0x10 STARTED and 0x14 DONE (read: copies that were started and that have ended, modulo 2**32), 0x18 FREE (read: how
// many more may be started now). Copies end in the order of their starts; each end raises line 0.
//
// A copy is set up while others move; then it moves burst by burst. Bytes change when their burst ends: who touches
// them before is at fault.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_UDMA_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_UDMA_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/part.h"

namespace tinsmith::soc {

// What the `device NAME udma …` line of a chip's file says.
struct UdmaTiming {
  uint32_t queue;            // copies under way, at most
  uint32_t setup;            // cycles from START to the first burst's command
  uint32_t burst;            // bytes
  uint32_t command;          // cycles before each burst
  uint32_t kilocycle_bytes;  // that move in 1000 cycles of a burst
};

// Raises BadFile if one is missing, or 0 that must not be.
UdmaTiming udma_timing(Settings &settings);

class Udma : public Accelerator {
 public:
  explicit Udma(const UdmaTiming &timing) : timing_(timing), burst_(timing.burst) {
  }

  uint32_t read(uint32_t offset, uint64_t now) override;
  void write(uint32_t offset, uint32_t value, uint64_t now) override;
  uint64_t next_time() const override {
    return next_;
  }
  void advance(AcceleratorPort &port, uint64_t now) override;
  const std::deque<DeviceCopy> *copies() const override {
    return &copies_;
  }

 private:
  void start(uint64_t now);
  void begin(uint64_t now);
  void begin_burst(uint64_t now);
  uint32_t burst_bytes() const;
  void finish(AcceleratorPort &port, uint64_t now);

  const UdmaTiming timing_;
  DeviceCopy written_;             // by the registers
  std::deque<DeviceCopy> copies_;  // the first moves, the others wait
  std::deque<uint64_t> set_up_;    // when each is
  std::vector<uint8_t> burst_;
  uint32_t started_ = 0;
  uint32_t done_ = 0;
  uint32_t moved_ = 0;  // bytes of the first
  uint64_t began_ = 0;
  uint64_t next_ = kNever;  // end of its burst
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_UDMA_H_
