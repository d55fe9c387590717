// Sums of two tensors, element by element, each a hardware loop: TFLite's and PULP-NN's two.
#include "internal/add.h"

typedef tinsmith_pulp_add_t layer_t;

static int32_t byte_at(const uint8_t *address, bool is_signed) {
  return is_signed ? (int8_t)*address : *address;
}

static int32_t clip(int32_t value, bool is_signed) {
  return is_signed ? corev_clip_s8(value) : corev_clip_u8(value);
}

static int32_t element(const layer_t *layer, const part_t *part, uint32_t i) {
  const bool is_tflite = layer->kind == TINSMITH_PULP_ADD_TFLITE;
  const int32_t lhs = byte_at(part->lhs + i, is_tflite || layer->lhs_is_signed);
  const int32_t rhs = byte_at(part->rhs + i, is_tflite || layer->rhs_is_signed);
  if (is_tflite) {
    return finish_tflite_sum(layer,
                             scale_input(lhs - layer->lhs_zero_point, layer->lhs_multiplier, layer->lhs_shift) +
                                 scale_input(rhs - layer->rhs_zero_point, layer->rhs_multiplier, layer->rhs_shift));
  }
  if (layer->kind == TINSMITH_PULP_ADD_WEIGHTED) {
    const uint32_t rest = (uint32_t)rhs * (uint32_t)layer->rhs_multiplier + (uint32_t)layer->output_addend;
    return clip(scale_truncating(lhs, layer->lhs_multiplier, (int32_t)rest, layer->output_shift),
                layer->output_is_signed);
  }
  const int32_t sum =
      clip(scale_truncating(lhs, layer->lhs_multiplier, layer->lhs_addend, layer->lhs_shift), layer->lhs_is_signed) +
      clip(scale_truncating(rhs, layer->rhs_multiplier, layer->rhs_addend, layer->rhs_shift), layer->rhs_is_signed);
  return clip(scale_truncating(sum, layer->output_multiplier, layer->output_addend, layer->output_shift),
              layer->output_is_signed);
}

static void plain(const layer_t *layer, const part_t *part) {
  for (uint32_t i = 0u; i < part->count; ++i) {
    part->output[i] = (uint8_t)element(layer, part, i);
  }
}

#if TINSMITH_COREV

#define LOAD_U8 "cv.lbu"
#define LOAD_S8 "cv.lb"
#define CLIP_U8 "cv.clipu %[a], %[a], 9\n\t"
#define CLIP_S8 "cv.clip %[a], %[a], 8\n\t"
#define CLIP_RHS_U8 "cv.clipu %[b], %[b], 9\n\t"
#define CLIP_RHS_S8 "cv.clip %[b], %[b], 8\n\t"

#define LOAD_BOTH(LHS, RHS) LHS " %[a], (%[lhs]), 1\n\t" RHS " %[b], (%[rhs]), 1\n\t"

#define FOR_ALL_ELEMENTS(BODY, ...)                                                                               \
  __asm__ volatile(COREV_LOOP("%[n]") BODY "cv.sb %[a], (%[to]), 1" COREV_LOOP_END                                \
                   : [lhs] "+&r"(lhs), [rhs] "+&r"(rhs), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c) \
                   : [n] "r"(part->count), [lm] "r"(lhs_multiplier), [rm] "r"(rhs_multiplier), __VA_ARGS__        \
                   : "memory")

// Seven instructions an element.
#define WEIGHTED(LHS, RHS, OUTPUT) \
  FOR_ALL_ELEMENTS(LOAD_BOTH(LOAD_##LHS, LOAD_##RHS) "mul %[a], %[a], %[lm]\n\t"                              \
                                                     "cv.mac %[a], %[b], %[rm]\n\t"                           \
                                                     "cv.addNr %[a], %[oa], %[os]\n\t" CLIP_##OUTPUT,          \
                   [oa] "r"(layer->output_addend), [os] "r"(layer->output_shift))

// Thirteen instructions an element.
#define REQUANTIZED(LHS, RHS, OUTPUT) \
  FOR_ALL_ELEMENTS(LOAD_BOTH(LOAD_##LHS, LOAD_##RHS) "mul %[a], %[a], %[lm]\n\t"                                \
                                                     "cv.addNr %[a], %[la], %[ls]\n\t" CLIP_##LHS               \
                                                     "mul %[b], %[b], %[rm]\n\t"                                \
                                                     "cv.addNr %[b], %[ra], %[rs]\n\t" CLIP_RHS_##RHS           \
                                                     "add %[a], %[a], %[b]\n\t"                                 \
                                                     "mul %[a], %[a], %[om]\n\t"                                \
                                                     "cv.addNr %[a], %[oa], %[os]\n\t" CLIP_##OUTPUT,           \
                   [la] "r"(layer->lhs_addend), [ls] "r"(layer->lhs_shift), [ra] "r"(layer->rhs_addend),        \
                   [rs] "r"(layer->rhs_shift), [om] "r"(layer->output_multiplier), [oa] "r"(layer->output_addend), [os] "r"(layer->output_shift))

#define FOR_ALL_TYPES(LOOP)                                                                                      \
  switch ((layer->lhs_is_signed ? 4 : 0) | (layer->rhs_is_signed ? 2 : 0) | (layer->output_is_signed ? 1 : 0)) { \
    case 0:                                                                                                      \
      LOOP(U8, U8, U8);                                                                                          \
      break;                                                                                                     \
    case 1:                                                                                                      \
      LOOP(U8, U8, S8);                                                                                          \
      break;                                                                                                     \
    case 2:                                                                                                      \
      LOOP(U8, S8, U8);                                                                                          \
      break;                                                                                                     \
    case 3:                                                                                                      \
      LOOP(U8, S8, S8);                                                                                          \
      break;                                                                                                     \
    case 4:                                                                                                      \
      LOOP(S8, U8, U8);                                                                                          \
      break;                                                                                                     \
    case 5:                                                                                                      \
      LOOP(S8, U8, S8);                                                                                          \
      break;                                                                                                     \
    case 6:                                                                                                      \
      LOOP(S8, S8, U8);                                                                                          \
      break;                                                                                                     \
    default:                                                                                                     \
      LOOP(S8, S8, S8);                                                                                          \
      break;                                                                                                     \
  }

// What the loops' operands are called.
#define LOOP_OPERANDS                                   \
  const uint8_t *lhs = part->lhs;                       \
  const uint8_t *rhs = part->rhs;                       \
  uint8_t *to = part->output;                           \
  const int32_t lhs_multiplier = layer->lhs_multiplier; \
  const int32_t rhs_multiplier = layer->rhs_multiplier; \
  uint32_t a, b, c;

static void truncating(const layer_t *layer, const part_t *part) {
  LOOP_OPERANDS
  if (layer->kind == TINSMITH_PULP_ADD_WEIGHTED) {
    FOR_ALL_TYPES(WEIGHTED)
  } else {
    FOR_ALL_TYPES(REQUANTIZED)
  }
}

static void weighted_s8(const layer_t *layer, const part_t *part) {
  LOOP_OPERANDS
  WEIGHTED(S8, S8, S8);
}

// An input minus its zero point has nine bits: two products of 32 bits replace the high word of one. value * 2**20 *
// multiplier * 2**-31 is value * (upper half * 2**5) plus value * (lower half) * 2**-11, and only the latter is
// rounded. Then a division by a power of two: minus one below 0 turns ties away from zero, but there are none without a
// shift.
#define SCALE_INPUT(X, TO, ZERO, LOW, HIGH, LIMIT, SHIFT) \
  "sub %[" X "], %[" X "], %[" ZERO                       \
  "]\n\t"                                                 \
  "mul %[" TO "], %[" X "], %[" LOW                       \
  "]\n\t"                                                 \
  "cv.addRN %[" TO "], %[" TO                             \
  "], zero, 11\n\t"                                       \
  "cv.mac %[" TO "], %[" X "], %[" HIGH                   \
  "]\n\t"                                                 \
  "slt %[" X "], %[" TO "], %[" LIMIT                     \
  "]\n\t"                                                 \
  "cv.subRNr %[" TO "], %[" X "], %[" SHIFT "]\n\t"

#define SCALE_LHS SCALE_INPUT("a", "c", "lz", "lm", "lh", "ll", "ls")
#define SCALE_RHS SCALE_INPUT("b", "a", "rz", "rm", "rh", "rl", "rs")

// The sum has 30 bits, room for a bit more: the high word h of sum * 2 * 2m is the doubling high product with one bit
// behind the point. Rounding that bit away and then dividing by 2**n is floor((h + 1 + 2**n) / 2**(n + 1)), with h - 1
// below 0.
#define SCALE_SUM                     \
  "slli %[b], %[a], 1\n\t"            \
  "mulhsu %[b], %[b], %[om]\n\t"      \
  "srai %[a], %[a], 31\n\t"           \
  "ori %[a], %[a], 1\n\t"             \
  "cv.addRNr %[b], %[a], %[os]\n\t"   \
  "add %[b], %[b], %[zero_point]\n\t" \
  "cv.max %[b], %[b], %[min]\n\t"     \
  "cv.min %[a], %[b], %[max]\n\t"

#define LARGEST_FUSED_SHIFT 29

static void tflite(const layer_t *layer, const part_t *part) {
  if (layer->output_shift < 1 || layer->output_shift > LARGEST_FUSED_SHIFT) {
    plain(layer, part);
    return;
  }
  const uint8_t *lhs = part->lhs;
  const uint8_t *rhs = part->rhs;
  uint8_t *to = part->output;
  const int32_t lhs_multiplier = layer->lhs_multiplier & 0xffff;
  const int32_t rhs_multiplier = layer->rhs_multiplier & 0xffff;
  const int32_t lhs_high = layer->lhs_multiplier >> 16 << 5;
  const int32_t rhs_high = layer->rhs_multiplier >> 16 << 5;
  const int32_t lhs_limit = layer->lhs_shift > 0 ? 0 : INT32_MIN;
  const int32_t rhs_limit = layer->rhs_shift > 0 ? 0 : INT32_MIN;
  uint32_t a, b, c;
  FOR_ALL_ELEMENTS(LOAD_BOTH(LOAD_S8, LOAD_S8) SCALE_LHS SCALE_RHS "add %[a], %[a], %[c]\n\t" SCALE_SUM,
                   [lz] "r"(layer->lhs_zero_point), [lh] "r"(lhs_high), [ll] "r"(lhs_limit), [ls] "r"(layer->lhs_shift),
                   [rz] "r"(layer->rhs_zero_point), [rh] "r"(rhs_high), [rl] "r"(rhs_limit), [rs] "r"(layer->rhs_shift),
                   [om] "r"((uint32_t)layer->output_multiplier << 1), [os] "r"(layer->output_shift + 1),
                   [zero_point] "r"(layer->output_zero_point), [min] "r"(layer->min), [max] "r"(layer->max));
}

static void add(const layer_t *layer, const part_t *part) {
  (layer->kind == TINSMITH_PULP_ADD_TFLITE ? tflite : truncating)(layer, part);
}

#else

static void add(const layer_t *layer, const part_t *part) {
  plain(layer, part);
}

static void weighted_s8(const layer_t *layer, const part_t *part) {
  plain(layer, part);
}

#endif

// Of a sum with weights.
static void clamp_weighted(const layer_t *layer, const part_t *part, bool is_signed) {
  if (layer->min != 0 || layer->max != 0) {
    clamp_part(layer, part, is_signed);
  }
}

void tinsmith_pulp_add(const layer_t *layer, tinsmith_pulp_core_t core) {
  const part_t part = part_of_add(layer, core);
  if (part.count == 0u) {
    return;
  }
  if (layer->kind == TINSMITH_PULP_ADD_TFLITE && layer->lhs_table != NULL) {
    add_by_tables(layer, &part);
    return;
  }
  add(layer, &part);
  if (layer->kind == TINSMITH_PULP_ADD_WEIGHTED) {
    clamp_weighted(layer, &part, layer->output_is_signed);
  }
}

void tinsmith_pulp_add_weighted_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  const part_t part = part_of_add(layer, core);
  if (part.count != 0u) {
    weighted_s8(layer, &part);
    clamp_weighted(layer, &part, true);
  }
}
