#include "tests/report.h"

#include "tests/team.h"

void report(const char *name, uint32_t calls, uint32_t failures) {
  print_text(name);
  print_text(" ");
  print_number((int32_t)calls);
  print_text(" calls, ");
  print_number((int32_t)failures);
  print_text(" wrong\n");
}
