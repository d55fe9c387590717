// asin, acos and atan of float by additions, multiplications, divisions and roots; see tinsmith_ir/arcs.py.
#ifndef TINSMITH_KERNELS_REFERENCE_ARCS_H_
#define TINSMITH_KERNELS_REFERENCE_ARCS_H_

#include "float_functions.h"

#define PI 3.14159274f
#define HALF_PI 1.57079637f
#define QUARTER_PI 0.785398185f
#define PI_REST (-8.74227766e-08f)  // what float has lost of pi
#define HALF_PI_REST (-4.37113883e-08f)
#define QUARTER_PI_REST (-2.18556941e-08f)
#define TAN_EIGHTH 0.414213568f        // of pi
#define TAN_THREE_EIGHTHS 2.41421366f  // of pi

// asin(size) of a size in [0, 1/2), above that asin of the root of (1 - size) / 2.
static inline float small_arc_sine(float size) {
  const float z = size < 0.5f ? size * size : 0.5f * (1.0f - size);
  const float s = size < 0.5f ? size : square_root(z);
  float polynomial = 0.0422177718442f;
  polynomial = polynomial * z + 0.0241482865647f;
  polynomial = polynomial * z + 0.0454769069735f;
  polynomial = polynomial * z + 0.0749524375965f;
  polynomial = polynomial * z + 0.166667538711f;
  return s + s * (z * polynomial);
}

static inline float arc_sine(float value) {
  const float size = magnitude(value);
  if (!(size <= 1.0f)) {
    return value != value ? value : not_a_number();
  }
  const float angle = small_arc_sine(size);
  const float positive = size < 0.5f ? angle : HALF_PI - (2.0f * angle - HALF_PI_REST);
  return signed_as(positive, value);
}

static inline float arc_cosine(float value) {
  const float size = magnitude(value);
  if (!(size <= 1.0f)) {
    return value != value ? value : not_a_number();
  }
  const float angle = small_arc_sine(size);
  if (size < 0.5f) {
    return HALF_PI - (signed_as(angle, value) - HALF_PI_REST);
  }
  return value < 0.0f ? PI - (2.0f * angle - PI_REST) : 2.0f * angle;
}

static inline float arc_tangent(float value) {
  if (value != value) {
    return value;
  }
  const float size = magnitude(value);
  const int is_small = size < TAN_EIGHTH;
  const int is_large = size > TAN_THREE_EIGHTHS;
  const float t = is_small ? size : is_large ? -1.0f / size : (size - 1.0f) / (size + 1.0f);
  const float z = t * t;
  float polynomial = -0.0608350606384f;
  polynomial = polynomial * z + 0.105960501081f;
  polynomial = polynomial * z + -0.142438603992f;
  polynomial = polynomial * z + 0.199984904168f;
  polynomial = polynomial * z + -0.333333155288f;
  const float rest = t * (z * polynomial);
  if (is_small) {
    return signed_as(t + rest, value);
  }
  const float turned = is_large ? HALF_PI + (t + (rest + HALF_PI_REST)) : QUARTER_PI + (t + (rest + QUARTER_PI_REST));
  return signed_as(turned, value);
}

#endif  // TINSMITH_KERNELS_REFERENCE_ARCS_H_
