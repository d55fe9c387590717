// Bytes of L1 and L2, and the instructions decoded from them.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_MEMORY_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_MEMORY_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "platforms/simulators/soc/model/decoded.h"

namespace tinsmith::soc {

// Bytes are little-endian, as the host is taken to be (static_assert in the .cc).
class Memory {
 public:
  static constexpr uint32_t kPageBytes = DecodedPage::kBytes;

  Memory(uint32_t base, uint32_t bytes) : base_(base), bytes_(bytes), pages_(bytes / kPageBytes) {
  }

  uint32_t base() const {
    return base_;
  }

  uint32_t size() const {
    return static_cast<uint32_t>(bytes_.size());
  }

  bool holds(uint32_t address, uint32_t bytes) const {
    const uint32_t offset = address - base_;
    return offset < size() && size() - offset >= bytes;
  }

  // The caller has asked `holds` for all of these.
  uint32_t read(uint32_t address, uint32_t bytes) const {
    uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + (address - base_), bytes);
    return value;
  }

  void write(uint32_t address, uint32_t bytes, uint32_t value) {
    const uint32_t offset = address - base_;
    std::memcpy(bytes_.data() + offset, &value, bytes);
    forget(offset, bytes);
  }

  void copy_in(uint32_t address, const uint8_t *source, uint32_t bytes);
  void copy_out(uint32_t address, uint8_t *target, uint32_t bytes) const;

  // What was decoded from the page around `address`.
  DecodedPage &decoded(uint32_t address);

 private:
  // Instructions over these bytes must be decoded again.
  void forget(uint32_t offset, uint32_t bytes) {
    const uint32_t first = offset < 2 ? 0 : offset - 2;
    for (uint32_t page = first / kPageBytes; page <= (offset + bytes - 1) / kPageBytes; ++page) {
      if (pages_[page] != nullptr) {
        forget_in_page(page, first, offset + bytes);
      }
    }
  }

  void forget_in_page(uint32_t page, uint32_t first, uint32_t end);

  uint32_t base_;
  std::vector<uint8_t> bytes_;
  std::vector<std::unique_ptr<DecodedPage>> pages_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_MEMORY_H_
