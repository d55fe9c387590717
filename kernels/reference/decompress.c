// Rice codes and LZ4 blocks.
#include "tinsmith/decompress.h"

#include <string.h>

enum {
  kEscape = 16,  // ones that say that all bits of an integer follow
  kLong = 15,    // lengths from here on go on in further bytes
  kShortestMatch = 4,
};

// A word whose highest bits come first; compilers make a load of it.
static inline uint32_t load_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Of ones in front; 32 of no other word than one that ends in a one, which is not asked for.
static inline uint32_t leading_ones(uint32_t word) {
#ifdef __GNUC__
  return (uint32_t)__builtin_clz(~word | 1u);
#else
  uint32_t count = 0;
  for (; word >> 31 != 0; word <<= 1) {
    ++count;
  }
  return count;
#endif
}

void tinsmith_decompress_rice(const uint8_t *code, int32_t size, int8_t *output) {
  const uint32_t k = code[0];
  const int8_t *const end = output + size;
  uint32_t at = 8;  // in bits
  while (output != end) {
    // At least 25 bits, and no integer has more than 24.
    const uint32_t word = load_word(code + (at >> 3)) << (at & 7u);
    const uint32_t ones = leading_ones(word);
    uint32_t folded;
    if (ones < kEscape) {
      // The zero behind the ones, and k bits.
      folded = (ones << k) + (word << ones >> (31u - k));
      at += ones + 1 + k;
    } else {
      folded = word << kEscape >> 24;
      at += kEscape + 8;
    }
    *output++ = (int8_t)(folded >> 1 ^ (0u - (folded & 1u)));
  }
}

// A length of which a token has told four bits.
static inline const uint8_t *whole_length(const uint8_t *code, uint32_t *length) {
  if (*length == kLong) {
    uint32_t more;
    do {
      more = *code++;
      *length += more;
    } while (more == 0xFF);
  }
  return code;
}

void tinsmith_decompress_lz4(const uint8_t *code, int32_t size, int8_t *output) {
  const int8_t *const end = output + size;
  for (;;) {
    const uint32_t token = *code++;
    uint32_t length = token >> 4;
    code = whole_length(code, &length);
    memcpy(output, code, length);
    code += length;
    output += length;
    if (output == end) {
      return;
    }
    const uint32_t distance = code[0] | (uint32_t)code[1] << 8;
    length = token & kLong;
    code = whole_length(code + 2, &length);
    length += kShortestMatch;
    const int8_t *const match = output - distance;
    if (distance == 1) {
      memset(output, *match, length);
    } else {
      for (uint32_t i = 0; i < length; ++i) {
        output[i] = match[i];
      }
    }
    output += length;
  }
}
