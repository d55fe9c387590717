/* As much of the Unity test framework as CMSIS-NN's unit tests call: each assertion that fails is counted, and the test
 * goes on. */
#ifndef TINSMITH_NN_TOOLS_UNITY_H
#define TINSMITH_NN_TOOLS_UNITY_H

#include <stdint.h>

/** Of the running test: assertions that failed, and the line of the first. */
typedef struct {
  int32_t failures;
  int32_t line;
} tinsmith_unity_result;

extern tinsmith_unity_result tinsmith_unity;

static inline void tinsmith_unity_check(int passed, int32_t line) {
  if (!passed) {
    tinsmith_unity.line = tinsmith_unity.failures == 0 ? line : tinsmith_unity.line;
    ++tinsmith_unity.failures;
  }
}

#define TEST_ASSERT_EQUAL(expected, actual) tinsmith_unity_check((expected) == (actual), __LINE__)
#define TEST_ASSERT_TRUE(condition) tinsmith_unity_check((condition) != 0, __LINE__)

#endif /* TINSMITH_NN_TOOLS_UNITY_H */
