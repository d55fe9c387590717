/* Layers of int8 whose weights have four or two bits, two or four to a byte until they are in first-level memory.
 *
 * Arrays of constants are those of tinsmith_pulp_arranged.h but for their weights. Where weights are widened, sixteen
 * of them in the order of that array are two words of weights of four bits: byte j of the first word holds weight j in
 * its lower half and weight 4 + j in its upper one, byte j of the second weights 8 + j and 12 + j. Of two bits they are
 * one word, whose byte j holds weights j, 4 + j, 8 + j and 12 + j from its lowest bits on. Zeros fill up the last
 * sixteen.
 */
#ifndef TINSMITH_PULP_FEW_BITS_H_
#define TINSMITH_PULP_FEW_BITS_H_

#include <stdint.h>

#include "tinsmith_pulp_arranged.h"

/** What becomes the array of a kernel of int8. Both arrays begin at multiples of 4 bytes and do not overlap. Shares of
 * all cores together are all, or more; of sixteens an odd number, so that cores that walk in step do not meet in one
 * bank of the memory. */
typedef struct {
  const void *packed;      /**< numbers of the channels, then weights */
  void *widened;           /**< the same numbers, then a weight in each byte */
  uint32_t numbers;        /**< words of the channels */
  uint32_t numbers_share;  /**< of a core */
  uint32_t sixteens;       /**< of weights */
  uint32_t sixteens_share; /**< of a core */
} tinsmith_pulp_widen_t;

/** A core's share of the array. A kernel of int8 may read it after a barrier. */
void tinsmith_pulp_widen_s4(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_widen_s2(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core);

/** The same of 16 and 64 times the weights: of layers that round once that is a shift by four and six more. */
void tinsmith_pulp_widen_s4_by_16(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_widen_s2_by_64(const tinsmith_pulp_widen_t *call, tinsmith_pulp_core_t core);

/** A fully connected layer, whose weights are used as they lie. Of four bits, four rows and four columns are two words,
 * whose bytes are the weights of rows 0 and 2, plus 16 times those of rows 1 and 3 beside them. A byte must hold that:
 * -8 beside a negative weight does not. Columns are a multiple of 4, and zeros fill up the last four rows. */
void tinsmith_pulp_arranged_linear_s4(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_s4_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_s4_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

/** The same of two bits: four rows and four columns are a word, whose bytes are the weights of row 0, plus 4, 16 and 64
 * times those of rows 1, 2 and 3. -2 of row 1, 2 or 3 with a negative sum of the rows before does not fit. */
void tinsmith_pulp_arranged_linear_s2(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_s2_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_s2_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

/** Of a fully connected layer with a multiplier for each block of inputs; 20 bytes. */
typedef struct {
  tinsmith_pulp_linear_numbers_t linear;
  uint16_t rows;           /**< of inputs */
  uint16_t words_of_block; /**< inputs of a block, the last one aside, by four; 1 is slow */
} tinsmith_pulp_linear_blocks_numbers_t;

/** Such a layer: acc = the sum over blocks of multiplier * (sum over the block of input * weight), for as many rows as
 * the record says. Of four rows of weights, block by block: its words as of tinsmith_pulp_arranged_linear_s4(), then
 * four bytes, the multipliers of the rows, from 0 to 255. 16 times what is summed of an odd row, without the bias, fits
 * 32 bits. */
void tinsmith_pulp_arranged_linear_blocks_s4(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_blocks_s4_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_blocks_s4_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

#endif /* TINSMITH_PULP_FEW_BITS_H_ */
