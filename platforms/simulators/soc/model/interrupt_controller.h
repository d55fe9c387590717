// The fabric controller's interrupt controller, as PULP's apb_interrupt_cntrl: 32 lines with a mask, set by devices and
// by whoever writes to it (so does the cluster wake the fabric controller), and a queue of the chip's events behind one
// line.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_INTERRUPT_CONTROLLER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_INTERRUPT_CONTROLLER_H_

#include <cstdint>
#include <deque>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/description.h"

namespace tinsmith::soc {

class InterruptController {
 public:
  // hart: the fabric controller, which outlives this; nullptr on a chip without one.
  InterruptController(const Description &description, Hart *hart) : description_(description), hart_(hart) {
  }

  uint32_t load(uint32_t offset) const;
  void store(uint32_t offset, uint32_t value, uint64_t now);

  // A device asks for an interrupt.
  void raise(uint32_t line, uint64_t now);

  // The core enters the handler of `line`.
  void acknowledge_interrupt(uint32_t line, uint64_t now);

  // An event of the chip's peripherals; it is lost if the queue is full.
  void queue_soc_event(uint32_t number, uint64_t now);

 private:
  void change_status(uint32_t status, uint64_t now);
  uint32_t next_soc_event(uint32_t status);

  const Description &description_;
  Hart *hart_;
  uint32_t mask_ = 0;
  uint32_t status_ = 0;  // lines that ask
  uint32_t acknowledged_ = 0;
  std::deque<uint32_t> soc_events_;
  uint32_t soc_event_ = 0;  // the last one taken from the queue
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_INTERRUPT_CONTROLLER_H_
