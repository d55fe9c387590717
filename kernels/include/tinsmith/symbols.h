// The version of the reference kernels, and the names that objects know them by: `tinsmith_add_s8_reference_v1`.
// Callers compiled for another version do not link. It costs neither code nor data. Each header names its functions.
#ifndef TINSMITH_SYMBOLS_H_
#define TINSMITH_SYMBOLS_H_

/** Raised when a signature, a struct or a result changes; generated code asserts the version it was made for. */
#define TINSMITH_REFERENCE_API_VERSION 1

#define TINSMITH_REFERENCE_NAMED(name, version) name##_reference_v##version
#define TINSMITH_REFERENCE_EXPANDED(name, version) TINSMITH_REFERENCE_NAMED(name, version)
#define TINSMITH_REFERENCE_SYMBOL(name) TINSMITH_REFERENCE_EXPANDED(name, TINSMITH_REFERENCE_API_VERSION)

#endif  // TINSMITH_SYMBOLS_H_
