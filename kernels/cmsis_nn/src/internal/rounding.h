/* Whether a file is compiled to round twice, as TFLite does, or once, to nearest with halves up. Bodies that round are
 * headers (*_body.h): a file that defines TINSMITH_NN_NEAREST as 1 before it includes one has its functions rounded
 * once, under names that say so.
 *
 * Of an accumulator, a multiplier in [2^30, 2^31) and right >= 1, with H = floor(acc * multiplier / 2^31):
 *     floor((acc * multiplier + 2^(30 + right)) / 2^(31 + right)) = floor((H + 2^(right - 1)) / 2^right),
 * since what H drops is less than 1, and added to a whole number it cannot reach the next one. Where less is shifted
 * to the right, acc goes to the left by one bit more, and right is 1.
 */
#ifndef TINSMITH_NN_INTERNAL_ROUNDING_H
#define TINSMITH_NN_INTERNAL_ROUNDING_H

#ifndef TINSMITH_NN_NEAREST
#define TINSMITH_NN_NEAREST 0
#endif

#if TINSMITH_NN_NEAREST

#include "include/tinsmith_nn_nearest.h"

#undef tinsmith_convolve_packed_s8
#undef tinsmith_convolve_packed_any_s8
#undef tinsmith_convolve_packed_single_s8
#undef tinsmith_convolve_packed_offset_s8
#undef tinsmith_convolve_packed_s4
#undef tinsmith_fully_connected_packed_s4
#undef tinsmith_depthwise_packed_s4
#undef tinsmith_depthwise_packed_any_s4
#undef tinsmith_depthwise_packed_s8
#undef tinsmith_depthwise_packed_3x3_s8
#undef tinsmith_depthwise_packed_any_s8
#undef tinsmith_depthwise_pixels_s8
#undef tinsmith_fully_connected_packed_s8
#undef tinsmith_fully_connected_packed_deep_s8
#undef tinsmith_fully_connected_small_s8
#undef tinsmith_convolve_s8
#undef tinsmith_depthwise_s8
#undef tinsmith_mean_columns_s8
#undef tinsmith_mean_columns_s16
#undef tinsmith_rescale_s8_s8
#undef tinsmith_rescale_s8_u8
#undef tinsmith_rescale_s8_s16
#undef tinsmith_rescale_u8_s8
#undef tinsmith_rescale_s16_s8
#undef tinsmith_rescale_s16_s16

#define tinsmith_convolve_packed_s8 tinsmith_convolve_packed_s8_nearest
#define tinsmith_convolve_packed_any_s8 tinsmith_convolve_packed_any_s8_nearest
#define tinsmith_convolve_packed_single_s8 tinsmith_convolve_packed_single_s8_nearest
#define tinsmith_convolve_packed_offset_s8 tinsmith_convolve_packed_offset_s8_nearest
#define tinsmith_convolve_packed_s4 tinsmith_convolve_packed_s4_nearest
#define tinsmith_fully_connected_packed_s4 tinsmith_fully_connected_packed_s4_nearest
#define tinsmith_depthwise_packed_s4 tinsmith_depthwise_packed_s4_nearest
#define tinsmith_depthwise_packed_any_s4 tinsmith_depthwise_packed_any_s4_nearest
#define tinsmith_depthwise_packed_s8 tinsmith_depthwise_packed_s8_nearest
#define tinsmith_depthwise_packed_3x3_s8 tinsmith_depthwise_packed_3x3_s8_nearest
#define tinsmith_depthwise_packed_any_s8 tinsmith_depthwise_packed_any_s8_nearest
#define tinsmith_depthwise_pixels_s8 tinsmith_depthwise_pixels_s8_nearest
#define tinsmith_fully_connected_packed_s8 tinsmith_fully_connected_packed_s8_nearest
#define tinsmith_fully_connected_packed_deep_s8 tinsmith_fully_connected_packed_deep_s8_nearest
#define tinsmith_fully_connected_small_s8 tinsmith_fully_connected_small_s8_nearest
#define tinsmith_convolve_s8 tinsmith_convolve_s8_nearest
#define tinsmith_depthwise_s8 tinsmith_depthwise_s8_nearest
#define tinsmith_mean_columns_s8 tinsmith_mean_columns_s8_nearest
#define tinsmith_mean_columns_s16 tinsmith_mean_columns_s16_nearest
#define tinsmith_rescale_s8_s8 tinsmith_rescale_s8_s8_nearest
#define tinsmith_rescale_s8_u8 tinsmith_rescale_s8_u8_nearest
#define tinsmith_rescale_s8_s16 tinsmith_rescale_s8_s16_nearest
#define tinsmith_rescale_u8_s8 tinsmith_rescale_u8_s8_nearest
#define tinsmith_rescale_s16_s8 tinsmith_rescale_s16_s8_nearest
#define tinsmith_rescale_s16_s16 tinsmith_rescale_s16_s16_nearest

#define tinsmith_convolve_columns tinsmith_convolve_columns_nearest
#define tinsmith_convolve_rows tinsmith_convolve_rows_nearest
#define tinsmith_depthwise_block_s8 tinsmith_depthwise_block_s8_nearest
#define tinsmith_depthwise_pixel_for tinsmith_depthwise_pixel_for_nearest
#define tinsmith_depthwise_pixel_singly tinsmith_depthwise_pixel_singly_nearest
#define tinsmith_multiply_rows tinsmith_multiply_rows_nearest

#define tinsmith_mve_convolve_s8 tinsmith_mve_convolve_s8_nearest
#define tinsmith_mve_depthwise_3x3_s8 tinsmith_mve_depthwise_3x3_s8_nearest
#define tinsmith_mve_depthwise_lines_s8 tinsmith_mve_depthwise_lines_s8_nearest
#define tinsmith_mve_depthwise_patches_s8 tinsmith_mve_depthwise_patches_s8_nearest
#define tinsmith_mve_matrix_product_s8 tinsmith_mve_matrix_product_s8_nearest
#define tinsmith_mve_multiply_row tinsmith_mve_multiply_row_nearest
#define tinsmith_mve_multiply_rows tinsmith_mve_multiply_rows_nearest
#define tinsmith_mve_shifts_right tinsmith_mve_shifts_right_nearest
#define tinsmith_mve_store_row tinsmith_mve_store_row_nearest
#define tinsmith_mve_store_sums tinsmith_mve_store_sums_nearest

#endif

#endif /* TINSMITH_NN_INTERNAL_ROUNDING_H */
