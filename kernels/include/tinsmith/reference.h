// All reference kernels: every operator in plain, portable C99, without allocation, libm or any other library than
// memcpy, memmove and memset. Integer results are those of TFLite's reference kernels, or rounded once (rounding.h);
// float results are the same bits on every machine with IEEE-754 single precision (compile with -ffp-contract=off).
#ifndef TINSMITH_REFERENCE_H_
#define TINSMITH_REFERENCE_H_

#include "tinsmith/cast.h"
#include "tinsmith/comparison.h"
#include "tinsmith/convolution.h"
#include "tinsmith/decompress.h"
#include "tinsmith/detections.h"
#include "tinsmith/differences.h"
#include "tinsmith/division.h"
#include "tinsmith/dynamic.h"
#include "tinsmith/elementwise.h"
#include "tinsmith/four_bits.h"
#include "tinsmith/fully_connected.h"
#include "tinsmith/functions.h"
#include "tinsmith/gather.h"
#include "tinsmith/layout.h"
#include "tinsmith/logistic.h"
#include "tinsmith/lookup.h"
#include "tinsmith/lstm.h"
#include "tinsmith/matmul.h"
#include "tinsmith/moments.h"
#include "tinsmith/normalization.h"
#include "tinsmith/partial_sums.h"
#include "tinsmith/pooling.h"
#include "tinsmith/poses.h"
#include "tinsmith/powers.h"
#include "tinsmith/quantization.h"
#include "tinsmith/ranking.h"
#include "tinsmith/rectifiers.h"
#include "tinsmith/reduction.h"
#include "tinsmith/resize.h"
#include "tinsmith/rounding.h"
#include "tinsmith/scan.h"
#include "tinsmith/softmax.h"
#include "tinsmith/svdf.h"
#include "tinsmith/two_bits.h"
#include "tinsmith/types.h"
#include "tinsmith/volumes.h"

#endif  // TINSMITH_REFERENCE_H_
