// What DIANA's accelerators share of L1: ranges of bytes, and how pixels with channels last lie there.
//
// Element i of whatever lies in L1 is byte i ^ kDianaSwap: accelerators see words of 32 bits from their upper end.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_L1_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_L1_H_

#include <cstdint>
#include <vector>

namespace tinsmith::soc {

constexpr uint32_t kDianaSwap = 3;

using DianaBytes = std::vector<uint8_t>;

// Bytes of L1, from its beginning.
struct DianaRange {
  uint32_t first = 0;
  uint64_t bytes = 0;

  bool meets(const DianaRange &other) const {
    return first < other.first + other.bytes && other.first < first + bytes;
  }
};

// Pixels with channels last: 16 channels in a word of 16 bytes, 64 in the same word of four banks, the next 64 of the
// pixel, or else the next pixel, in the next word [dory: 64 bytes of a pixel go to four banks].
struct DianaPixels {
  static constexpr uint32_t kBlock = 16;  // channels, and bytes of a word
  static constexpr uint32_t kBanks = 4;

  uint32_t first = 0;   // byte of L1
  uint32_t pixels = 0;  // row by row
  uint32_t blocks = 0;  // of 16 channels

  // Where a block's word lies, in bytes from `first`. bank_bytes: from a bank to the next.
  uint32_t offset(uint32_t pixel, uint32_t block, uint32_t bank_bytes) const {
    return block % kBanks * bank_bytes + kBlock * (pixel * words() + block / kBanks);
  }

  // A range for each bank.
  std::vector<DianaRange> ranges(uint32_t bank_bytes) const;

 private:
  uint32_t words() const {
    return (blocks + kBanks - 1) / kBanks;
  }
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_L1_H_
