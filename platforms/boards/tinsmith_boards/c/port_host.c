/* The harness's port to a computer with an operating system. */
#include <stdio.h>
#include <stdlib.h>

#include "port.h"

#define MAX_FILES 2

static FILE *g_files[MAX_FILES];

static int32_t open_file(const char *name, const char *mode) {
  for (int32_t i = 0; i < MAX_FILES; ++i) {
    if (g_files[i] == NULL) {
      g_files[i] = fopen(name, mode);
      return g_files[i] == NULL ? -1 : i;
    }
  }
  return -1;
}

int32_t port_open_read(const char *name) {
  return open_file(name, "rb");
}

int32_t port_open_write(const char *name) {
  return open_file(name, "wb");
}

uint32_t port_read(int32_t file, void *data, uint32_t bytes) {
  return bytes - (uint32_t)fread(data, 1u, bytes, g_files[file]);
}

uint32_t port_write(int32_t file, const void *data, uint32_t bytes) {
  return bytes - (uint32_t)fwrite(data, 1u, bytes, g_files[file]);
}

void port_close(int32_t file) {
  (void)fclose(g_files[file]);
  g_files[file] = NULL;
}

void port_print(const char *text) {
  (void)fputs(text, stderr);
}

_Noreturn void port_exit(uint32_t status) {
  exit((int)status);
}

uint32_t *port_stack_limit(void) {
  return NULL;
}

bool port_worker_stack_is_full(void) {
  return false;
}
