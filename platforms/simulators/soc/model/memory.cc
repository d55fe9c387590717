#include "platforms/simulators/soc/model/memory.h"

#include <algorithm>
#include <bit>

namespace tinsmith::soc {

static_assert(std::endian::native == std::endian::little, "Memory copies numbers as the host keeps them");

void Memory::copy_in(uint32_t address, const uint8_t *source, uint32_t bytes) {
  if (bytes != 0) {
    std::memcpy(bytes_.data() + (address - base_), source, bytes);
    forget(address - base_, bytes);
  }
}

void Memory::copy_out(uint32_t address, uint8_t *target, uint32_t bytes) const {
  if (bytes != 0) {
    std::memcpy(target, bytes_.data() + (address - base_), bytes);
  }
}

DecodedPage &Memory::decoded(uint32_t address) {
  std::unique_ptr<DecodedPage> &page = pages_[(address - base_) / kPageBytes];
  if (page == nullptr) {
    page = std::make_unique<DecodedPage>();
  }
  return *page;
}

void Memory::forget_in_page(uint32_t page, uint32_t first, uint32_t end) {
  const uint32_t start = page * kPageBytes;
  const uint32_t from = std::max(first, start) - start;
  const uint32_t to = std::min(end, start + kPageBytes) - start;
  pages_[page]->forget(from & ~1U, to);
}

}  // namespace tinsmith::soc
