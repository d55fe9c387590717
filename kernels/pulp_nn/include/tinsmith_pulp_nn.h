/* The kernels with every choice open: int8 or uint8 inputs, PULP-NN's truncating output stage or TFLite's double
 * rounding, plain or packed weights, any split over cores. pulp_nn_kernels.h has the same kernels behind PULP-NN's
 * names.
 *
 * Every core of a team calls a function with the same arguments but its own `core`; a core writes its own part of the
 * output and its own part of the scratch memory, reads nothing that another core writes, and meets no barrier: that is
 * the caller's. Activations are HWC (depthwise: HWC or CHW in, HWC out). Sums are 32-bit; those for TFLite's stage are
 * below 2**30, after a shift to the left, too.
 */
#ifndef TINSMITH_PULP_NN_H_
#define TINSMITH_PULP_NN_H_

#include <stdbool.h>
#include <stdint.h>

/** Which part of the work is the caller's: core `core` of `cores`. */
typedef struct {
  uint32_t core;  /**< in [0, cores) */
  uint32_t cores; /**< 1 or more; need not be a power of two */
} tinsmith_pulp_core_t;

typedef enum {
  /** PULP-NN: clip((multiplier[c] * (acc + bias[c]) + addend[c]) >> shift) to uint8; the product wraps at 32 bits. */
  TINSMITH_PULP_TRUNCATE_U8,
  /** The same, clipped to int8, then to [min, max] unless both are 0. */
  TINSMITH_PULP_TRUNCATE_S8,
  /** PULP-NN with 64-bit parameters: clip((wide_multipliers[c] * (acc + bias[c]) + wide_addends[c]) >> shift) to uint8;
   * acc + bias[c] wraps at 32 bits, the rest at 64. PULP-NN clips the low 32 bits of what is shifted, here all 64 are
   * clipped. Slower than the others: blocks one by one. */
  TINSMITH_PULP_TRUNCATE_WIDE_U8,
  /** The same, clipped to int8. */
  TINSMITH_PULP_TRUNCATE_WIDE_S8,
  /** TFLite and TFLite Micro: (acc + bias[c]) times multiplier[c] * 2**(-31 - shifts[c]) in gemmlowp's two roundings
   * (a doubling high product to nearest, then a division by a power of two, ties away from zero), plus zero_point,
   * clamped to [min, max]; int8. */
  TINSMITH_PULP_TFLITE_S8,
  /** One rounding: with the channel's scale, clip((acc * multiplier + addend) >> shift) to int8, then to [min, max];
   * product and sum wrap at 32 bits. Bias, half of 2**shift and zero point << shift are the addend's. int8 inputs only.
   */
  TINSMITH_PULP_SCALE_S8,
  /** The same with the product's upper half, for multipliers of all bits: clip((((acc + bias[c]) * multiplier >> 32) +
   * addend) >> shift), which is one rounding of the whole product by shift + 32. Four cycles slower. */
  TINSMITH_PULP_SCALE_HIGH_S8,
  /** The sum acc + bias[c] itself, int32. */
  TINSMITH_PULP_RAW_S32,
} tinsmith_pulp_stage_kind_t;

/** A channel's scale, one rounding. The shift is to the right, in [0, 31]. */
typedef struct {
  int32_t multiplier, addend, shift;
} tinsmith_pulp_scale_t;

/** What becomes of a sum. Arrays have an element per output channel. */
typedef struct {
  tinsmith_pulp_stage_kind_t kind;
  const int32_t *bias;        /**< NULL for none; for TFLite: with -input_zero_point * sum(weights) inside. SCALE: NULL;
                               * SCALE_HIGH: not NULL */
  const int8_t *bias_s8;      /**< bytes instead, where bias is NULL; PULP-NN's form */
  const int32_t *multipliers; /**< TFLite: Q31, 0 or in [2**30, 2**31). Truncating: kappa, or NULL for `multiplier` */
  const int32_t *addends;     /**< truncating: lambda, or NULL for none; TFLite: unused */
  const int32_t *shifts;      /**< TFLite: to the right, in [-30, 31]; truncating: unused */
  const tinsmith_pulp_scale_t *scales; /**< SCALE and SCALE_HIGH, which have nothing of the three above */
  const int64_t *wide_multipliers;     /**< truncating, wide: kappa, or NULL for `multiplier` */
  const int64_t *wide_addends;         /**< truncating, wide: lambda, or NULL for none */
  int32_t multiplier;                  /**< truncating, where multipliers is NULL */
  int32_t shift;                       /**< truncating: to the right, in [0, 31], wide in [0, 63] */
  int32_t zero_point;                  /**< TFLite: in [-128, 127] */
  int32_t min, max; /**< bounds in [-128, 127] of TFLite's stage and SCALE's, and of TRUNCATE_S8 unless both are 0 */
} tinsmith_pulp_stage_t;

typedef enum {
  TINSMITH_PULP_SPLIT_BALANCED, /**< blocks of pixels times blocks of channels, whatever is shortest */
  TINSMITH_PULP_SPLIT_ROWS,     /**< output rows */
  TINSMITH_PULP_SPLIT_COLUMNS,  /**< output columns, in whole blocks of two pixels, with packed weights of four */
  TINSMITH_PULP_SPLIT_PIXELS,   /**< output pixels, row by row */
  TINSMITH_PULP_SPLIT_CHANNELS, /**< output channels */
} tinsmith_pulp_split_t;

/** A convolution. Weights are [Cout][Ky][Kx][Cin], or packed by tinsmith_pulp_pack_weights(). */
typedef struct {
  const void *input;
  const int8_t *weights;
  void *output;
  uint8_t *scratch; /**< tinsmith_pulp_conv2d_scratch_bytes(), 4-byte aligned; unused for pointwise layers */
  uint16_t input_height, input_width, input_channels;
  uint16_t output_height, output_width, output_channels;
  uint16_t kernel_height, kernel_width;
  uint16_t pad_top, pad_left; /**< bottom and right follow from the output's size */
  uint16_t stride_height, stride_width;
  uint8_t pad_value; /**< the input's zero point as a byte */
  bool input_is_signed;
  bool weights_are_packed; /**< 4 channels x 4 pixels a step instead of 4 x 2 */
  tinsmith_pulp_split_t split;
  tinsmith_pulp_stage_t stage;
} tinsmith_pulp_conv2d_t;

/** Bytes of scratch for a convolution on `cores` cores; 0 where the input is used as it is. */
uint32_t tinsmith_pulp_conv2d_scratch_bytes(const tinsmith_pulp_conv2d_t *layer, uint32_t cores);

void tinsmith_pulp_conv2d(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);

/** Convolutions of one kind, for programs that have to be small: the linker takes no other kind along. Packed weights,
 * int8 in; the layer's fields that say so are not read. The truncating one is fastest with a multiplier and an addend
 * for every channel and no bias: addend + bias * multiplier, wrapped at 32 bits, is the same. */
void tinsmith_pulp_conv2d_packed_tflite_s8(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_conv2d_packed_truncate_s8(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_conv2d_packed_scale_s8(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_conv2d_packed_scale_high_s8(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);

/** Bytes of `rows` rows of `columns` weights once packed: both rounded up to multiples of 4. */
uint32_t tinsmith_pulp_packed_bytes(uint32_t rows, uint32_t columns);

/** Packs [rows][columns] as [rows / 4][columns / 4][4 rows][4 columns], filled with zeros. Meant to run ahead of time.
 */
void tinsmith_pulp_pack_weights(const int8_t *weights, uint32_t rows, uint32_t columns, int8_t *packed);

/** output[r] = stage(sum over c of weights[r][c] * input[c]); a core takes rows. */
typedef struct {
  const void *input;
  const int8_t *weights; /**< [outputs][inputs], or packed; packed weights read inputs up to a multiple of 4 bytes */
  void *output;
  uint16_t inputs, outputs;
  bool input_is_signed;
  bool weights_are_packed;
  tinsmith_pulp_stage_t stage;
} tinsmith_pulp_linear_t;

void tinsmith_pulp_linear(const tinsmith_pulp_linear_t *layer, tinsmith_pulp_core_t core);

/** Of one kind, for programs that have to be small: packed weights, int8 in; the fields that say so are not read. */
void tinsmith_pulp_linear_packed_tflite_s8(const tinsmith_pulp_linear_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_linear_packed_truncate_s8(const tinsmith_pulp_linear_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_linear_packed_scale_s8(const tinsmith_pulp_linear_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_linear_packed_scale_high_s8(const tinsmith_pulp_linear_t *layer, tinsmith_pulp_core_t core);

/** A depthwise convolution, one output channel for each input channel. Weights are [C][Ky][Kx], the output is HWC. */
typedef struct {
  const void *input; /**< HWC, or CHW as PULP-NN has it */
  const int8_t *weights;
  void *output;
  uint8_t *scratch; /**< tinsmith_pulp_depthwise_scratch_bytes(), 4-byte aligned */
  uint16_t input_height, input_width, channels;
  uint16_t output_height, output_width;
  uint16_t kernel_height, kernel_width;
  uint16_t pad_top, pad_left;
  uint16_t stride_height, stride_width;
  uint8_t pad_value;
  bool input_is_signed;
  bool input_is_chw;
  tinsmith_pulp_stage_t stage; /**< not RAW_S32 */
} tinsmith_pulp_depthwise_t;

uint32_t tinsmith_pulp_depthwise_scratch_bytes(const tinsmith_pulp_depthwise_t *layer, uint32_t cores);

/** The cores take channels, four (CHW: one) at a time, and bands of rows where channels do not divide well. */
void tinsmith_pulp_depthwise(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);

/** Depthwise convolutions of one kind, for programs that have to be small: HWC, int8 in; stage.kind says the kind, too.
 * Those for 3 x 3 take strides of 1 x 1 and 2 x 2 only, and with TFLite's stage multipliers that are not 0 and shifts
 * in [1, 22] only. */
void tinsmith_pulp_depthwise_tflite_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_truncate_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_scale_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_scale_high_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_3x3_tflite_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_3x3_truncate_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_3x3_scale_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_depthwise_3x3_scale_high_s8(const tinsmith_pulp_depthwise_t *layer, tinsmith_pulp_core_t core);

typedef enum {
  /** TFLite, int8: each input minus its zero point raised by 20 bits and scaled, the sum scaled, all in gemmlowp's two
   * roundings, plus the output's zero point, clamped to [min, max]. Multipliers are Q31, shifts in [0, 31]. By tables,
   * where there are any: clip((lhs_table[lhs] + rhs_table[rhs]) >> table_shift), clamped likewise; nothing else counts
   * then. */
  TINSMITH_PULP_ADD_TFLITE,
  /** clip((lhs * lhs_multiplier + rhs * rhs_multiplier + output_addend) >> output_shift), clamped to [min, max] unless
   * both are 0; PULP-NN's has neither addend nor bounds. Sums wrap at 32 bits. */
  TINSMITH_PULP_ADD_WEIGHTED,
  /** pulp-nn-mixed: each input becomes clip((input * multiplier + addend) >> shift) in its own type, their sum
   * clip((sum * output_multiplier + output_addend) >> output_shift). */
  TINSMITH_PULP_ADD_REQUANTIZED,
} tinsmith_pulp_add_kind_t;

/** Sum of two tensors; the output may be one of them. A core takes elements. */
typedef struct {
  tinsmith_pulp_add_kind_t kind;
  const void *lhs, *rhs;
  void *output;
  uint32_t count;                                      /**< below 2**28 */
  bool lhs_is_signed, rhs_is_signed, output_is_signed; /**< TFLite: unused */
  int32_t lhs_zero_point, lhs_multiplier, lhs_addend, lhs_shift;
  int32_t rhs_zero_point, rhs_multiplier, rhs_addend, rhs_shift;
  int32_t output_zero_point, output_multiplier, output_addend, output_shift;
  int32_t min, max;                     /**< inside the range of the output's type */
  const int32_t *lhs_table, *rhs_table; /**< TFLite: a number for each byte, taken as uint8; or NULL */
  int32_t table_shift;                  /**< TFLite, with tables: to the right, in [0, 31] */
} tinsmith_pulp_add_t;

void tinsmith_pulp_add(const tinsmith_pulp_add_t *layer, tinsmith_pulp_core_t core);

/** TFLite's sum of a layer that has tables: a quarter of the time of that without. */
void tinsmith_pulp_add_tflite_s8(const tinsmith_pulp_add_t *layer, tinsmith_pulp_core_t core);

/** The sum with weights of int8 and int8 to int8. */
void tinsmith_pulp_add_weighted_s8(const tinsmith_pulp_add_t *layer, tinsmith_pulp_core_t core);

/** Makes the tables of a TFLite sum, 256 numbers each, and sets the layer's lhs_table, rhs_table and table_shift. Meant
 * to run ahead of time: tries all pairs of bytes, several times. Returns whether there are tables that give the bytes
 * of the layer without them for every pair; else the layer's pointers stay as they are. */
bool tinsmith_pulp_add_tables(tinsmith_pulp_add_t *layer, int32_t *lhs_table, int32_t *rhs_table);

typedef enum {
  /** The largest pixel inside the input, clamped to [min, max]. */
  TINSMITH_PULP_POOL_MAX,
  /** pulp-nn-mixed: clip((sum * multiplier + addend) >> shift). */
  TINSMITH_PULP_POOL_AVERAGE_SCALED,
  /** PULP-NN, uint8 input: clip((sum * multiplier / area + addend) >> shift), area = kernel_height * kernel_width, the
   * product an unsigned number of 32 bits. */
  TINSMITH_PULP_POOL_AVERAGE_DIVIDED,
  /** Both without requantization: clip(sum / area), truncating towards 0. */
  TINSMITH_PULP_POOL_AVERAGE_PLAIN,
  /** TFLite: the mean of the pixels inside the input, to nearest, ties away from zero, clamped to [min, max]. */
  TINSMITH_PULP_POOL_AVERAGE_TFLITE,
} tinsmith_pulp_pool_kind_t;

/** Pooling over HWC; padding takes no part, every window reaches into the input. A core takes a part of the row of all
 * pixels' blocks of four channels. */
typedef struct {
  tinsmith_pulp_pool_kind_t kind;
  const void *input;
  void *output;
  uint16_t input_height, input_width, channels;
  uint16_t output_height, output_width;
  uint16_t kernel_height, kernel_width;
  uint16_t pad_top, pad_left;
  uint16_t stride_height, stride_width;
  bool input_is_signed;  /**< the output's, too, of max and TFLite's pools */
  bool output_is_signed; /**< of PULP-NN's averages */
  int32_t multiplier, addend, shift;
  int32_t min, max; /**< of max and TFLite's pools */
} tinsmith_pulp_pool_t;

void tinsmith_pulp_pool(const tinsmith_pulp_pool_t *layer, tinsmith_pulp_core_t core);

/** Of one kind and int8, for programs that have to be small; the fields that say so are not read. */
void tinsmith_pulp_max_pool_s8(const tinsmith_pulp_pool_t *layer, tinsmith_pulp_core_t core);
void tinsmith_pulp_average_pool_tflite_s8(const tinsmith_pulp_pool_t *layer, tinsmith_pulp_core_t core);

/** Softmax over rows of int8 as TFLite computes it, with its multiplier, left shift and smallest difference for beta
 * and the input's scale; the output's scale is 1/256, its zero point -128. The output is not the input. A core takes
 * rows. With a table of exponentials cores share a row where there are more of them than rows, and an element takes a
 * tenth of the time. */
typedef struct {
  const int8_t *input;
  int8_t *output;
  uint32_t rows;
  uint32_t columns; /**< in [1, 511] */
  int32_t multiplier, shift, smallest_difference;
  const int32_t *exponentials; /**< tinsmith_pulp_softmax_exponentials(); or NULL */
} tinsmith_pulp_softmax_t;

void tinsmith_pulp_softmax(const tinsmith_pulp_softmax_t *layer, tinsmith_pulp_core_t core);

/** The same of a layer that has exponentials; its other numbers are not read. */
void tinsmith_pulp_softmax_by_table(const tinsmith_pulp_softmax_t *layer, tinsmith_pulp_core_t core);

/** Of a layer 256 exponentials in Q0.31: number d is that of an element d below its row's largest, 0 beyond the
 * smallest difference. Meant to run ahead of time. */
void tinsmith_pulp_softmax_exponentials(const tinsmith_pulp_softmax_t *layer, int32_t *exponentials);

/** output[i] = table[input[i]]: logistic, tanh, another scale, any function of one byte. The output may be the input. A
 * core takes elements. */
typedef struct {
  const void *input;
  void *output;
  const int8_t *table; /**< 256 bytes; an input byte is taken as uint8 */
  uint32_t count;      /**< below 2**28 */
} tinsmith_pulp_lookup_t;

void tinsmith_pulp_lookup(const tinsmith_pulp_lookup_t *layer, tinsmith_pulp_core_t core);

/** Copies rows of bytes; input and output do not overlap. A core takes rows, or a part of a row where there are more
 * cores than rows. */
typedef struct {
  const void *input;
  void *output;
  uint32_t rows, row_bytes;
  uint32_t input_step, output_step; /**< bytes from row to row */
} tinsmith_pulp_copy_t;

void tinsmith_pulp_copy(const tinsmith_pulp_copy_t *layer, tinsmith_pulp_core_t core);

#endif /* TINSMITH_PULP_NN_H_ */
