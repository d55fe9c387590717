// sinh and cosh of float, and their inverses and that of tanh; see tinsmith_ir/hyperbolics.py.
#ifndef TINSMITH_KERNELS_REFERENCE_HYPERBOLICS_H_
#define TINSMITH_KERNELS_REFERENCE_HYPERBOLICS_H_

#include "float_functions.h"

#define NEARLY_EXP_HIGHEST 80.0f  // from here on exp(x) is exp(x - 2) exp(2)
#define HALF_EXP_2 3.69452810f    // exp(2) / 2
#define LOG_OF_DOUBLE 4096.0f     // from here on asinh and acosh are log(2 x)
#define LN2 0.693147182f

// exp(size) / 2 of a size at least 0, infinity where it is nearest.
static inline float half_exponential(float size) {
  const int is_high = size > NEARLY_EXP_HIGHEST;
  return exponential(is_high ? size - 2.0f : size) * (is_high ? HALF_EXP_2 : 0.5f);
}

// log(1 + u) of u in [0, 2**26]: that of 1 + u in float, and of what that has lost.
static inline float logarithm_above_one(float u) {
  const float w = 1.0f + u;
  return logarithm(w) + (u - (w - 1.0f)) / w;
}

static inline float hyperbolic_sine(float value) {
  const float size = magnitude(value);
  if (value != value) {
    return value;
  }
  if (!(size < 1.0f)) {
    const float half = half_exponential(size);
    return signed_as(half - 0.25f / half, value);
  }
  const float z = size * size;
  float polynomial = 2.81743817874e-6f;
  polynomial = polynomial * z + 0.000198360668516f;
  polynomial = polynomial * z + 0.00833335059212f;
  polynomial = polynomial * z + 0.166666664889f;
  return signed_as(size + size * (z * polynomial), value);
}

static inline float hyperbolic_cosine(float value) {
  const float size = magnitude(value);
  if (value != value) {
    return value;
  }
  if (!(size < 1.0f)) {
    const float half = half_exponential(size);
    return half + 0.25f / half;
  }
  const float z = size * size;
  float polynomial = 2.54012239222e-5f;
  polynomial = polynomial * z + 0.00138847911825f;
  polynomial = polynomial * z + 0.0416667533731f;
  polynomial = polynomial * z + 0.5f;
  return 1.0f + z * polynomial;
}

static inline float inverse_hyperbolic_sine(float value) {
  const float size = magnitude(value);
  if (value != value) {
    return value;
  }
  if (!(size < LOG_OF_DOUBLE)) {
    return signed_as(logarithm(size) + LN2, value);
  }
  const float z = size * size;
  if (!(size < 0.5f)) {
    return signed_as(logarithm_above_one(size + z / (1.0f + square_root(1.0f + z))), value);
  }
  float polynomial = -0.0132485624397f;
  polynomial = polynomial * z + 0.0281759661682f;
  polynomial = polynomial * z + -0.0443859825701f;
  polynomial = polynomial * z + 0.0749866452877f;
  polynomial = polynomial * z + -0.166666439046f;
  return signed_as(size + size * (z * polynomial), value);
}

static inline float inverse_hyperbolic_cosine(float value) {
  if (!(value >= 1.0f)) {
    return value != value ? value : not_a_number();
  }
  if (!(value < LOG_OF_DOUBLE)) {
    return logarithm(value) + LN2;
  }
  const float above = value - 1.0f;
  return logarithm_above_one(above + square_root(above * (above + 2.0f)));
}

static inline float inverse_hyperbolic_tangent(float value) {
  const float size = magnitude(value);
  if (!(size < 1.0f)) {
    return value != value ? value : size == 1.0f ? signed_as(infinity(), value) : not_a_number();
  }
  if (!(size < 0.5f)) {
    return signed_as(0.5f * logarithm_above_one(2.0f * size / (1.0f - size)), value);
  }
  const float z = size * size;
  float polynomial = 0.177188331052f;
  polynomial = polynomial * z + 0.0509923096086f;
  polynomial = polynomial * z + 0.11833753153f;
  polynomial = polynomial * z + 0.142215149554f;
  polynomial = polynomial * z + 0.200025861034f;
  polynomial = polynomial * z + 0.333332988709f;
  return signed_as(size + size * (z * polynomial), value);
}

#endif  // TINSMITH_KERNELS_REFERENCE_HYPERBOLICS_H_
