// RV32C with F: each compressed instruction as the 32-bit one it stands for.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/decode.h"

namespace tinsmith::soc {
namespace {

enum Opcode : uint32_t {
  kLoad = 0x03,
  kLoadFloat = 0x07,
  kOpImmediate = 0x13,
  kStore = 0x23,
  kStoreFloat = 0x27,
  kOp = 0x33,
  kLui = 0x37,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6F,
};

constexpr uint32_t kEbreak = 0x00100073;
constexpr uint32_t kWord = 2;  // funct3 of word loads and stores

uint32_t encode_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t immediate) {
  return immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

uint32_t encode_s(uint32_t opcode, uint32_t rs2, uint32_t rs1, uint32_t immediate) {
  return field(immediate, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | kWord << 12 | field(immediate, 4, 0) << 7 | opcode;
}

uint32_t encode_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | kOp;
}

uint32_t encode_jal(uint32_t rd, uint32_t offset) {
  return field(offset, 20, 20) << 31 | field(offset, 10, 1) << 21 | field(offset, 11, 11) << 20 |
         field(offset, 19, 12) << 12 | rd << 7 | kJal;
}

uint32_t encode_branch(uint32_t funct3, uint32_t rs1, uint32_t offset) {
  return field(offset, 12, 12) << 31 | field(offset, 10, 5) << 25 | rs1 << 15 | funct3 << 12 |
         field(offset, 4, 1) << 8 | field(offset, 11, 11) << 7 | kBranch;
}

// x8 to x15 in three bits.
uint32_t short_register(uint32_t bits, unsigned low) {
  return 8 + field(bits, low + 2, low);
}

uint32_t immediate6(uint32_t bits) {
  return sign_extend(field(bits, 12, 12) << 5 | field(bits, 6, 2), 6);
}

uint32_t jump_offset(uint32_t bits) {
  return sign_extend(field(bits, 12, 12) << 11 | field(bits, 11, 11) << 4 | field(bits, 10, 9) << 8 |
                         field(bits, 8, 8) << 10 | field(bits, 7, 7) << 6 | field(bits, 6, 6) << 7 |
                         field(bits, 5, 3) << 1 | field(bits, 2, 2) << 5,
                     12);
}

uint32_t branch_offset(uint32_t bits) {
  return sign_extend(field(bits, 12, 12) << 8 | field(bits, 11, 10) << 3 | field(bits, 6, 5) << 6 |
                         field(bits, 4, 3) << 1 | field(bits, 2, 2) << 5,
                     9);
}

uint32_t word_offset(uint32_t bits) {
  return field(bits, 12, 10) << 3 | field(bits, 6, 6) << 2 | field(bits, 5, 5) << 6;
}

std::optional<uint32_t> expand_quadrant0(uint32_t bits) {
  const uint32_t rd = short_register(bits, 2);
  const uint32_t rs1 = short_register(bits, 7);
  const uint32_t stack_offset =
      field(bits, 12, 11) << 4 | field(bits, 10, 7) << 6 | field(bits, 6, 6) << 2 | field(bits, 5, 5) << 3;
  switch (field(bits, 15, 13)) {
    case 0:
      return stack_offset == 0 ? std::nullopt : std::optional(encode_i(kOpImmediate, 0, rd, 2, stack_offset));
    case 2:
      return encode_i(kLoad, kWord, rd, rs1, word_offset(bits));
    case 3:
      return encode_i(kLoadFloat, kWord, rd, rs1, word_offset(bits));
    case 6:
      return encode_s(kStore, rd, rs1, word_offset(bits));
    case 7:
      return encode_s(kStoreFloat, rd, rs1, word_offset(bits));
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> expand_arithmetic(uint32_t bits) {
  const uint32_t rd = short_register(bits, 7);
  const uint32_t rs2 = short_register(bits, 2);
  const uint32_t amount = field(bits, 6, 2);
  const bool bit12 = field(bits, 12, 12) != 0;
  switch (field(bits, 11, 10)) {
    case 0:
      return bit12 ? std::nullopt : std::optional(encode_i(kOpImmediate, 5, rd, rd, amount));
    case 1:
      return bit12 ? std::nullopt : std::optional(encode_i(kOpImmediate, 5, rd, rd, 0x400 | amount));
    case 2:
      return encode_i(kOpImmediate, 7, rd, rd, immediate6(bits));
    default:
      break;
  }
  if (bit12) {
    return std::nullopt;
  }
  switch (field(bits, 6, 5)) {
    case 0:
      return encode_r(0x20, 0, rd, rd, rs2);
    case 1:
      return encode_r(0, 4, rd, rd, rs2);
    case 2:
      return encode_r(0, 6, rd, rd, rs2);
    default:
      return encode_r(0, 7, rd, rd, rs2);
  }
}

std::optional<uint32_t> expand_lui(uint32_t bits, uint32_t rd) {
  const uint32_t immediate = immediate6(bits);
  if (immediate == 0) {
    return std::nullopt;
  }
  if (rd != 2) {
    return immediate << 12 | rd << 7 | kLui;
  }
  const uint32_t offset = sign_extend(field(bits, 12, 12) << 9 | field(bits, 6, 6) << 4 | field(bits, 5, 5) << 6 |
                                          field(bits, 4, 3) << 7 | field(bits, 2, 2) << 5,
                                      10);
  return encode_i(kOpImmediate, 0, 2, 2, offset);
}

std::optional<uint32_t> expand_quadrant1(uint32_t bits) {
  const uint32_t rd = field(bits, 11, 7);
  switch (field(bits, 15, 13)) {
    case 0:
      return encode_i(kOpImmediate, 0, rd, rd, immediate6(bits));
    case 1:
      return encode_jal(1, jump_offset(bits));
    case 2:
      return encode_i(kOpImmediate, 0, rd, 0, immediate6(bits));
    case 3:
      return expand_lui(bits, rd);
    case 4:
      return expand_arithmetic(bits);
    case 5:
      return encode_jal(0, jump_offset(bits));
    case 6:
      return encode_branch(0, short_register(bits, 7), branch_offset(bits));
    default:
      return encode_branch(1, short_register(bits, 7), branch_offset(bits));
  }
}

std::optional<uint32_t> expand_register(uint32_t bits, uint32_t rd) {
  const uint32_t rs2 = field(bits, 6, 2);
  const bool links = field(bits, 12, 12) != 0;
  if (rs2 != 0) {
    return encode_r(0, 0, rd, links ? rd : 0, rs2);
  }
  if (rd == 0) {
    return links ? std::optional(kEbreak) : std::nullopt;
  }
  return encode_i(kJalr, 0, links ? 1 : 0, rd, 0);
}

std::optional<uint32_t> expand_quadrant2(uint32_t bits) {
  const uint32_t rd = field(bits, 11, 7);
  const uint32_t load_offset = field(bits, 12, 12) << 5 | field(bits, 6, 4) << 2 | field(bits, 3, 2) << 6;
  const uint32_t store_offset = field(bits, 12, 9) << 2 | field(bits, 8, 7) << 6;
  switch (field(bits, 15, 13)) {
    case 0:
      return field(bits, 12, 12) != 0 ? std::nullopt
                                      : std::optional(encode_i(kOpImmediate, 1, rd, rd, field(bits, 6, 2)));
    case 2:
      return rd == 0 ? std::nullopt : std::optional(encode_i(kLoad, kWord, rd, 2, load_offset));
    case 3:
      return encode_i(kLoadFloat, kWord, rd, 2, load_offset);
    case 4:
      return expand_register(bits, rd);
    case 6:
      return encode_s(kStore, field(bits, 6, 2), 2, store_offset);
    case 7:
      return encode_s(kStoreFloat, field(bits, 6, 2), 2, store_offset);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint32_t> expand_compressed(uint16_t bits) {
  switch (bits & 3) {
    case 0:
      return expand_quadrant0(bits);
    case 1:
      return expand_quadrant1(bits);
    case 2:
      return expand_quadrant2(bits);
    default:
      return std::nullopt;
  }
}

}  // namespace tinsmith::soc
