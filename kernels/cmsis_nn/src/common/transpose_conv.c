/* Transposed convolution of int8. Outputs a stride apart meet the same taps, so that they are a convolution of stride 1
 * with these, the last one first. Where neighbouring outputs meet the same inputs, by other taps, they are done
 * together, as channels of one.
 */

#include "src/internal/transpose_conv.h"

#include <stdbool.h>
#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/short_copy.h"
#include "src/mve/scratch.h"

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

/** Neighbouring outputs that are done together, along an axis. */
enum { kTogether = 8 };

/** Outputs along one axis: `count` neighbours, and as many each stride behind them. */
typedef struct {
  int32_t first; /* output */
  int32_t count;
  int32_t outputs; /* of each neighbour */
  int32_t tap;     /* the first that the first neighbour meets; the others meet the next ones */
  int32_t taps;    /* that each of them meets, a stride apart */
  int32_t start;   /* of the first window in the input: what the last tap meets; may lie outside */
} phase;

/** A single one. first: below the stride. */
static phase phase_of(int32_t first, int32_t outputs, int32_t stride, int32_t padding, int32_t taps) {
  const int32_t place = first + padding; /* in the full result before cutting */
  const int32_t tap = place % stride;
  const int32_t count = tap < taps ? (taps - 1 - tap) / stride + 1 : 0;
  return (phase){
      .first = first,
      .count = 1,
      .outputs = (outputs - 1 - first) / stride + 1,
      .tap = tap,
      .taps = count,
      .start = place / stride - count + 1,
  };
}

/** With the neighbours that have the same windows. */
static phase phases_of(int32_t first, int32_t outputs, int32_t stride, int32_t padding, int32_t taps) {
  phase p = phase_of(first, outputs, stride, padding, taps);
  for (int32_t next = first + 1; p.count < kTogether && next < stride && next < outputs; ++next) {
    const phase q = phase_of(next, outputs, stride, padding, taps);
    if (q.outputs != p.outputs || q.taps != p.taps || q.start != p.start) {
      break;
    }
    ++p.count;
  }
  return p;
}

/** The arguments, and where things are in scratch. */
typedef struct {
  const cmsis_nn_transpose_conv_params *params;
  const cmsis_nn_per_channel_quant_params *quant_params;
  const cmsis_nn_dims *input_dims;
  const int8_t *input;
  const cmsis_nn_dims *filter_dims;
  const int8_t *filter;
  const int32_t *bias; /* or NULL */
  const cmsis_nn_dims *output_dims;
  int8_t *output;
  void *windows;
  int8_t *weights;
  int8_t *pixels;
} layer;

/** Some channels of the outputs of two axes' phases. */
typedef struct {
  const phase *y;
  const phase *x;
  int32_t channel; /* the first */
  int32_t channels;
} group;

/** One tap's values of all channels: `depth` >= 1 bytes of each, from `from_pitch` apart to `to_pitch` apart. */
typedef struct {
  const int8_t *from;
  int8_t *to;
  int32_t from_pitch;
  int32_t to_pitch;
  int32_t channels;
  int32_t depth;
} tap_copy;

#if TINSMITH_NN_MVE
/** Adds what the values of each channel are together to sums[channel]. whole: vectors before the last one, inlined
 * where it is known. */
static inline void copy_vectors(const tap_copy *t, int32_t whole, int32_t *sums) {
  const int32_t last = whole * kByteLanes;
  const mve_pred16_t p = vctp8q((uint32_t)(t->depth - last));
  const int32_t from_pitch = t->from_pitch; /* sums might be any of these */
  const int32_t to_pitch = t->to_pitch;
  const int8_t *from = t->from;
  int8_t *to = t->to;
  for (int32_t c = t->channels; c > 0; --c) {
    int32_t sum = *sums;
    for (int32_t i = 0; i < last; i += kByteLanes) {
      const int8x16_t values = vldrbq_s8(from + i);
      vstrbq_s8(to + i, values);
      sum = vaddvaq_s8(sum, values);
    }
    const int8x16_t values = vldrbq_z_s8(from + last, p);
    vstrbq_p_s8(to + last, values, p);
    *sums++ = vaddvaq_p_s8(sum, values, p);
    from += from_pitch;
    to += to_pitch;
  }
}
#endif

/** sums: of channels, with MVE, where what the values are together is added. */
TINSMITH_NOINLINE static void copy_tap(const tap_copy *t, int32_t *sums) {
#if TINSMITH_NN_MVE
  const int32_t whole = (t->depth - 1) / kByteLanes;
  if (whole == 0) {
    copy_vectors(t, 0, sums);
  } else if (whole == 1) {
    copy_vectors(t, 1, sums);
  } else {
    copy_vectors(t, whole, sums);
  }
#else
  (void)sums;
  const int8_t *from = t->from;
  int8_t *to = t->to;
  for (int32_t c = t->channels; c > 0; --c) {
    tinsmith_copy_short(to, from, t->depth);
    from += t->from_pitch;
    to += t->to_pitch;
  }
#endif
}

/** The weights of one of a group's outputs. last: the first channel's last tap. sums: with MVE those of channels. */
static void arrange(const layer *l, const group *g, const int8_t *last, int8_t *weights, int32_t *sums) {
  const int32_t depth = l->input_dims->c;
  const int32_t step = l->params->stride.w * depth;
  const int32_t row_step = l->params->stride.h * l->filter_dims->w * depth - g->x->taps * step;
  tap_copy t = {
      .from = last,
      .to = weights,
      .from_pitch = l->filter_dims->h * l->filter_dims->w * depth,
      .to_pitch = g->y->taps * g->x->taps * depth,
      .channels = g->channels,
      .depth = depth,
  };
#if TINSMITH_NN_MVE
  tinsmith_clear_many(sums, g->channels * (int32_t)sizeof *sums);
#endif
  for (int32_t j = g->y->taps; j > 0; --j) {
    for (int32_t i = g->x->taps; i > 0; --i) {
      copy_tap(&t, sums);
      t.to += depth;
      t.from -= step;
    }
    t.from -= row_step;
  }
}

/** What a group's channels are multiplied with and scaled by, for all its outputs. */
typedef struct {
  int32_t bias[kTransposeConvChannels];
  int32_t multiplier[kTransposeConvChannels];
  int32_t shift[kTransposeConvChannels];
} constants;

#if TINSMITH_NN_MVE
static inline void add_to(int32_t *sums, const int32_t *values, int32_t count) {
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    vstrwq_p_s32(sums, vaddq_s32(vldrwq_z_s32(sums, p), vldrwq_z_s32(values, p)), p);
    sums += kWordLanes;
    values += kWordLanes;
  }
}
#endif

/** Of one of a group's outputs. at: where its channels begin; with MVE, k->bias has the sums of their weights. */
static void take_constants(const layer *l, const group *g, int32_t at, constants *k) {
  const int32_t bytes = g->channels * (int32_t)sizeof(int32_t);
  const int32_t *bias = l->bias == NULL ? NULL : l->bias + g->channel;
#if TINSMITH_NN_MVE
  const int32_t offset = l->params->input_offset;
  int32_t *sums = k->bias + at;
  for (int32_t left = g->channels; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    vstrwq_p_s32(sums, vmulq_n_s32(vldrwq_z_s32(sums, p), offset), p);
    sums += kWordLanes;
  }
  if (bias != NULL) {
    add_to(k->bias + at, bias, g->channels);
  }
#else
  if (bias == NULL) {
    tinsmith_clear_many(k->bias + at, bytes);
  } else {
    tinsmith_copy_many(k->bias + at, bias, bytes);
  }
#endif
  tinsmith_copy_many(k->multiplier + at, l->quant_params->multiplier + g->channel, bytes);
  tinsmith_copy_many(k->shift + at, l->quant_params->shift + g->channel, bytes);
}

static void prepare(const layer *l, const group *g, constants *k) {
  const int32_t row = l->filter_dims->w * l->input_dims->c;
  const int32_t weight_bytes = g->channels * g->y->taps * g->x->taps * l->input_dims->c;
  int8_t *weights = l->weights;
  int32_t at = 0;
  for (int32_t j = 0; j < g->y->count; ++j) {
    for (int32_t i = 0; i < g->x->count; ++i) {
      const int32_t tap_y = g->y->tap + j + (g->y->taps - 1) * l->params->stride.h;
      const int32_t tap_x = g->x->tap + i + (g->x->taps - 1) * l->params->stride.w;
      arrange(l, g, l->filter + (g->channel * l->filter_dims->h + tap_y) * row + tap_x * l->input_dims->c, weights,
              k->bias + at);
      take_constants(l, g, at, k);
      weights += weight_bytes;
      at += g->channels;
    }
  }
}

/** Where outputs a stride apart are. */
typedef struct {
  int32_t rows;
  int32_t columns;
  int32_t row_pitch; /* bytes from one to the next */
  int32_t pitch;
} places;

/** `channels` bytes of each output to their places, from pixels `step` apart; 0: one for all. */
TINSMITH_NOINLINE static void spread(const int8_t *pixels, int32_t step, int32_t channels, places to, int8_t *output) {
  for (; to.rows > 0; --to.rows) {
    int8_t *pixel = output;
    for (int32_t left = to.columns; left > 0; --left) {
      tinsmith_copy_short(pixel, pixels, channels);
      pixels += step;
      pixel += to.pitch;
    }
    output += to.row_pitch;
  }
}

/** The same of all neighbours of a group. */
static void spread_group(const layer *l, const group *g, places to, int8_t *output) {
  const int32_t step = g->y->count * g->x->count * g->channels;
  const int8_t *pixels = l->pixels;
  for (int32_t j = 0; j < g->y->count; ++j) {
    for (int32_t i = 0; i < g->x->count; ++i) {
      spread(pixels, step, g->channels, to, output + (j * l->output_dims->w + i) * l->output_dims->c);
      pixels += g->channels;
    }
  }
}

static places places_of(const layer *l, const phase *y, const phase *x) {
  const int32_t pitch = l->output_dims->c;
  return (places){
      .rows = y->outputs,
      .columns = x->outputs,
      .row_pitch = l->params->stride.h * l->output_dims->w * pitch,
      .pitch = l->params->stride.w * pitch,
  };
}

/** A group's outputs of one image: all at once if they lie at one distance from each other, else some at a time by way
 * of l->pixels, or rows that are long enough one at a time. output: the first of them. */
static void convolve(const layer *l, const group *g, const tinsmith_transpose_conv_filter *filter, const int8_t *input,
                     int8_t *output) {
  const places all = places_of(l, g->y, g->x);
  const bool adjacent = g->y->count == 1 && (g->x->count == 1 || g->channels == l->output_dims->c);
  const bool regular = all.columns == 1 || all.rows == 1 || all.columns * all.pitch == all.row_pitch;
  const int32_t fitting = kTransposeConvPixels / all.columns;
  const bool gathered = !adjacent || (!regular && fitting > 1);
  const int32_t most_columns = gathered && fitting == 0 ? kTransposeConvPixels : all.columns;
  const int32_t most_rows = gathered ? (fitting > 0 ? fitting : 1) : (regular ? all.rows : 1);
  const cmsis_nn_dims image = {.n = 1, .h = l->input_dims->h, .w = l->input_dims->w, .c = l->input_dims->c};
  cmsis_nn_conv_params params = {
      .input_offset = l->params->input_offset,
      .output_offset = l->params->output_offset,
      .stride = {1, 1},
      .dilation = {1, 1},
      .activation = l->params->activation,
  };
  for (int32_t y = 0; y < all.rows; y += most_rows) {
    for (int32_t x = 0; x < all.columns; x += most_columns) {
      places part = all;
      part.rows = all.rows - y < most_rows ? all.rows - y : most_rows;
      part.columns = all.columns - x < most_columns ? all.columns - x : most_columns;
      const int32_t pitch = gathered ? filter->channels : (all.columns == 1 ? all.row_pitch : all.pitch);
      const cmsis_nn_dims dims = {.n = 1, .h = part.rows, .w = part.columns, .c = pitch};
      int8_t *place = output + y * all.row_pitch + x * all.pitch;
      params.padding = (cmsis_nn_tile){.w = -(g->x->start + x), .h = -(g->y->start + y)};
      tinsmith_transpose_conv_part_s8(filter, &params, &image, input, &dims, gathered ? l->pixels : place, l->windows);
      if (gathered) {
        spread_group(l, g, part, place);
      }
    }
  }
}

/** All channels of the outputs of two axes' phases, which meet taps. */
static void convolve_phases(const layer *l, const phase *y, const phase *x) {
  const int32_t neighbours = y->count * x->count;
  const int32_t most = kTransposeConvChannels / neighbours;
  const cmsis_nn_dims *in = l->input_dims;
  const cmsis_nn_dims *out = l->output_dims;
  constants k;
  group g = {.y = y, .x = x};
  for (; g.channel < out->c; g.channel += g.channels) {
    g.channels = out->c - g.channel < most ? out->c - g.channel : most;
    prepare(l, &g, &k);
    const tinsmith_transpose_conv_filter filter = {
        .weights = l->weights,
        .bias = k.bias,
        .quant_params = {k.multiplier, k.shift},
        .channels = neighbours * g.channels,
        .kernel = {.h = y->taps, .w = x->taps, .c = in->c},
    };
    const int8_t *input = l->input;
    int8_t *output = l->output + (y->first * out->w + x->first) * out->c + g.channel;
    for (int32_t n = 0; n < in->n; ++n) {
      convolve(l, &g, &filter, input, output);
      input += in->h * in->w * in->c;
      output += out->h * out->w * out->c;
    }
  }
}

/** What outputs of some channels are that no tap meets: those of the bias. */
typedef struct {
  int32_t channel; /* the first; below 0 if not known yet */
  int8_t pixel[kTransposeConvChannels];
} untouched;

TINSMITH_NOINLINE static void know_untouched(const layer *l, int32_t channel, int32_t channels, untouched *u) {
  const int32_t *multiplier = l->quant_params->multiplier + channel;
  const int32_t *shift = l->quant_params->shift + channel;
  const int32_t *bias = l->bias == NULL ? NULL : l->bias + channel;
#if TINSMITH_NN_MVE
  const mve_output_scale scale = {
      .multiplier = multiplier,
      .shift = shift,
      .per_channel = true,
      .range = {l->params->output_offset, l->params->activation.min, l->params->activation.max},
  };
  int32_t zeros[kTransposeConvChannels];
  if (bias == NULL) {
    tinsmith_clear_many(zeros, channels * (int32_t)sizeof *zeros);
  }
  tinsmith_mve_store_row(&scale, 0, bias == NULL ? zeros : bias, channels, u->pixel);
#else
  for (int32_t c = 0; c < channels; ++c) {
    const int32_t scaled = tinsmith_requantize(bias == NULL ? 0 : bias[c], multiplier[c], shift[c]);
    u->pixel[c] =
        (int8_t)tinsmith_clamp(scaled + l->params->output_offset, l->params->activation.min, l->params->activation.max);
  }
#endif
  u->channel = channel;
}

/** All channels of outputs that meet no taps. first: of them, in the output. */
static void fill(const layer *l, int32_t first, places to, untouched *u) {
  const cmsis_nn_dims *out = l->output_dims;
  for (int32_t channel = 0; channel < out->c; channel += kTransposeConvChannels) {
    const int32_t channels = least(out->c - channel, kTransposeConvChannels);
    if (u->channel != channel) {
      know_untouched(l, channel, channels, u);
    }
    int8_t *output = l->output + first * out->c + channel;
    for (int32_t n = 0; n < l->input_dims->n; ++n) {
      spread(u->pixel, 0, channels, to, output);
      output += out->h * out->w * out->c;
    }
  }
}

/** Neighbouring rows that meet no taps. */
static void fill_rows(const layer *l, const phase *y, untouched *u) {
  const int32_t row = l->output_dims->w * l->output_dims->c;
  const places to = {y->outputs, l->output_dims->w, l->params->stride.h * row, l->output_dims->c};
  for (int32_t j = 0; j < y->count; ++j) {
    fill(l, (y->first + j) * l->output_dims->w, to, u);
  }
}

/** Neighbouring columns that meet none, of neighbouring rows that do. */
static void fill_columns(const layer *l, const phase *y, const phase *x, untouched *u) {
  for (int32_t j = 0; j < y->count; ++j) {
    for (int32_t i = 0; i < x->count; ++i) {
      fill(l, (y->first + j) * l->output_dims->w + x->first + i, places_of(l, y, x), u);
    }
  }
}

/** What is in scratch: windows, then weights, then pixels. */
typedef struct {
  int32_t depth; /* of the longest window */
  int32_t windows;
  int32_t weight_bytes;
  int32_t pixel_bytes;
} room;

static room room_of(cmsis_nn_tile stride, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                    const cmsis_nn_dims *output_dims) {
  const int32_t taps_h = (filter_dims->h + stride.h - 1) / stride.h;
  const int32_t taps_w = (filter_dims->w + stride.w - 1) / stride.w;
  const int32_t depth = taps_h * taps_w * input_dims->c;
  return (room){
      .depth = depth,
      .windows = least(kTransposeConvPixels, output_dims->h * output_dims->w),
      .weight_bytes =
          least(depth * kTransposeConvChannels, filter_dims->h * filter_dims->w * input_dims->c * output_dims->c),
      .pixel_bytes =
          least(kTransposeConvPixels * kTransposeConvChannels, output_dims->h * output_dims->w * output_dims->c),
  };
}

static int32_t window_bytes_dsp(const room *r) {
  return 5 * ((r->depth + 3) / 4 * 4);
}

/** No less for any smaller depth. */
static int32_t window_bytes_mve(const room *r) {
  const int32_t budget = 2 * r->depth > kFieldBudgetBytes ? 2 * r->depth : kFieldBudgetBytes;
  return least(r->windows * r->depth, budget);
}

static int32_t window_bytes(const room *r) {
#if TINSMITH_NN_MVE
  return window_bytes_mve(r);
#elif TINSMITH_NN_DSP
  return window_bytes_dsp(r);
#else
  return r->depth;
#endif
}

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)output_ctx;
  (void)bias_dims;
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const cmsis_nn_tile stride = transpose_conv_params->stride;
  const room r = room_of(stride, input_dims, filter_dims, output_dims);
  const layer l = {
      .params = transpose_conv_params,
      .quant_params = quant_params,
      .input_dims = input_dims,
      .input = input_data,
      .filter_dims = filter_dims,
      .filter = filter_data,
      .bias = bias_data,
      .output_dims = output_dims,
      .output = output_data,
      .windows = ctx->buf,
      .weights = (int8_t *)ctx->buf + window_bytes(&r),
      .pixels = (int8_t *)ctx->buf + window_bytes(&r) + r.weight_bytes,
  };
  untouched u; /* its pixel without a value as long as no channel is known */
  u.channel = -1;
  phase y;
  for (int32_t first_y = 0; first_y < least(stride.h, output_dims->h); first_y += y.count) {
    y = phases_of(first_y, output_dims->h, stride.h, transpose_conv_params->padding.h, filter_dims->h);
    if (y.taps == 0) {
      fill_rows(&l, &y, &u);
      continue;
    }
    phase x;
    for (int32_t first_x = 0; first_x < least(stride.w, output_dims->w); first_x += x.count) {
      x = phases_of(first_x, output_dims->w, stride.w, transpose_conv_params->padding.w, filter_dims->w);
      if (x.taps > 0) {
        convolve_phases(&l, &y, &x);
      } else {
        fill_columns(&l, &y, &x, &u);
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data) {
  return arm_transpose_conv_s8(ctx, output_ctx, transpose_conv_params, quant_params, input_dims, input_data,
                               filter_dims, filter_data, bias_dims, bias_data, output_dims, output_data);
}

/* The sizes for one build or another are asked for without strides. */

int32_t arm_transpose_conv_s8_get_buffer_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims) {
  const room r = room_of((cmsis_nn_tile){1, 1}, input_dims, filter_dims, out_dims);
  return window_bytes_dsp(&r) + r.weight_bytes + r.pixel_bytes;
}

int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims) {
  const room r = room_of((cmsis_nn_tile){1, 1}, input_dims, filter_dims, out_dims);
  return window_bytes_mve(&r) + r.weight_bytes + r.pixel_bytes;
}

int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims) {
  const room r = room_of(transposed_conv_params->stride, input_dims, filter_dims, out_dims);
  return window_bytes(&r) + r.weight_bytes + r.pixel_bytes;
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims) {
  (void)transposed_conv_params;
  (void)input_dims;
  (void)filter_dims;
  return 0;
}
