// float32 as 8-bit integers whose scale each run chooses anew.
#include "tinsmith/dynamic.h"

#include "arithmetic.h"
#include "float_rules.h"

#define LOW (-128)
#define HIGH 127

typedef struct {
  float low;
  float high;
} limits;

typedef struct {
  float scale;
  int32_t zero_point;
} steps;

// Smallest and largest number, 0 among them. Comparisons with NaN are false.
static limits limits_of(int32_t depth, const float *row) {
  limits found = {0.0f, 0.0f};
  for (int32_t i = 0; i < depth; ++i) {
    if (row[i] < found.low) {
      found.low = row[i];
    }
    if (row[i] > found.high) {
      found.high = row[i];
    }
  }
  return found;
}

static float magnitude(limits of) {
  return -of.low > of.high ? -of.low : of.high;
}

static double absolute_double(double value) {
  return value < 0.0 ? -value : value;
}

// Nearest integer, ties away from zero, of what is not NaN; beyond 2**20 in magnitude that.
static int32_t nearest(float value) {
  const float bounded = clamp_f32(value, -1048576.0f, 1048576.0f);
  const int32_t whole = (int32_t)bounded;
  const float rest = bounded - (float)whole;
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

// The zero point is taken from the end of the range that gives it the smaller error.
static steps steps_of(limits of) {
  if (of.low == of.high) {
    const steps none = {1.0f, 0};
    return none;
  }
  const double scale = ((double)of.high - (double)of.low) / (double)(HIGH - LOW);
  const double low = (double)of.low / scale;
  const double high = (double)of.high / scale;
  const double low_error = (double)-LOW + absolute_double(low);
  const double high_error = (double)HIGH + absolute_double(high);
  const double real = low_error < high_error ? (double)LOW - low : (double)HIGH - high;
  steps found = {(float)scale, LOW};
  if (real > (double)LOW) {
    const double bounded = real < (double)HIGH ? real : (double)HIGH;
    found.zero_point = (int32_t)(bounded + (bounded < 0.0 ? -0.5 : 0.5));
  }
  return found;
}

void tinsmith_dynamic_scale(int32_t rows, int32_t depth, const float *input, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    output[row] = steps_of(limits_of(depth, input)).scale;
    input += depth;
  }
}

void tinsmith_dynamic_scale_symmetric(int32_t rows, int32_t depth, const float *input, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    const float limit = magnitude(limits_of(depth, input));
    output[row] = limit == 0.0f ? 1.0f : limit / (float)HIGH;
    input += depth;
  }
}

// Of one row: real numbers times `inverse`.
static void quantize(int32_t depth, float inverse, int32_t zero_point, int32_t low, const float *input,
                     int16_t *output) {
  for (int32_t i = 0; i < depth; ++i) {
    const float real = input[i] * inverse + (float)zero_point;
    const int32_t stored = real != real ? zero_point : clamp_s32(nearest(real), low, HIGH);
    output[i] = (int16_t)(stored - zero_point);
  }
}

void tinsmith_dynamic_quantize(int32_t rows, int32_t depth, const float *input, int16_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    const steps of = steps_of(limits_of(depth, input));
    quantize(depth, 1.0f / of.scale, of.zero_point, LOW, input, output);
    input += depth;
    output += depth;
  }
}

void tinsmith_dynamic_quantize_symmetric(int32_t rows, int32_t depth, const float *input, int16_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    const float limit = magnitude(limits_of(depth, input));
    quantize(depth, limit == 0.0f ? 0.0f : (float)HIGH / limit, 0, -HIGH, input, output);
    input += depth;
    output += depth;
  }
}
