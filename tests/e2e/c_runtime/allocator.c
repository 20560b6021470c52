/* TVM's allocator for tests: counts the bytes that are there at one time, and the most of them. TVM's
 * stack allocator gives blocks of multiples of 16 bytes (tvm/runtime/crt/stack_allocator.h). */
#include <stdio.h>
#include <stdlib.h>

#include "tvm/runtime/c_backend_api.h"

enum { kHeader = 64 }; /* keeps the alignment of malloc and of TVM's kernels */

static uint64_t now;
static uint64_t most;

void* TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int type_code,
                               int type_bits) {
  (void)device_type, (void)device_id, (void)type_code, (void)type_bits;
  char* memory = aligned_alloc(kHeader, kHeader + (bytes + kHeader - 1) / kHeader * kHeader);
  if (memory == NULL) return NULL;
  bytes = (bytes + 15) / 16 * 16;
  *(uint64_t*)(void*)memory = bytes;
  now += bytes;
  if (now > most) most = now;
  return memory + kHeader;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void* memory) {
  (void)device_type, (void)device_id;
  char* begin = (char*)memory - kHeader;
  now -= *(uint64_t*)(void*)begin;
  free(begin);
  return 0;
}

/* The high-water mark, and what was not freed. */
void report_allocations(void) {
  printf("%llu %llu\n", (unsigned long long)most, (unsigned long long)now);
}
