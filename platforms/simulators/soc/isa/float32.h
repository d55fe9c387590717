// IEEE 754 single precision in integer arithmetic, with RISC-V's rounding modes, flags and canonical NaN.
//
// The host's own floating point is not used: it has no round-to-nearest-ties-away, and compilers move its flags about.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_FLOAT32_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_FLOAT32_H_

#include <cstdint>

namespace tinsmith::soc::float32 {

// The encoding of the instructions' field `rm`.
enum class Rounding : uint8_t { kNearestEven = 0, kTowardsZero = 1, kDown = 2, kUp = 3, kNearestAway = 4 };

// Bits of the CSR fflags.
enum Flag : uint32_t { kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8, kInvalid = 16 };

// How to round, and the flags raised so far.
struct Context {
  Rounding rounding = Rounding::kNearestEven;
  uint32_t flags = 0;
};

uint32_t add(uint32_t a, uint32_t b, Context &context);
uint32_t multiply(uint32_t a, uint32_t b, Context &context);
uint32_t divide(uint32_t a, uint32_t b, Context &context);
uint32_t square_root(uint32_t a, Context &context);

// a * b + c with one rounding.
uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c, Context &context);

// Out of range gives the nearest end, NaN the largest value; both are invalid.
uint32_t to_int32(uint32_t a, Context &context);
uint32_t to_uint32(uint32_t a, Context &context);
uint32_t from_int32(uint32_t value, Context &context);
uint32_t from_uint32(uint32_t value, Context &context);

// The number where the other is NaN; -0 is less than +0.
uint32_t minimum(uint32_t a, uint32_t b, Context &context);
uint32_t maximum(uint32_t a, uint32_t b, Context &context);

// Equality is quiet, the others are invalid for every NaN.
bool equal(uint32_t a, uint32_t b, Context &context);
bool less(uint32_t a, uint32_t b, Context &context);
bool less_equal(uint32_t a, uint32_t b, Context &context);

// One of the ten bits of FCLASS.S.
uint32_t classify(uint32_t a);

}  // namespace tinsmith::soc::float32

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_FLOAT32_H_
