#include "run/runtimes.h"

namespace mlf::run {

// SysTick has 24 bits and counts down. Its interrupt counts the overflows; a read during which it
// occurs is repeated.
std::string_view cortex_m_runtime() {
  return R"c(
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MLF_REGISTER(address) (*(volatile uint32_t *)(address))
#define MLF_EMPTY ".type mlf_empty, %function\n.thumb_func\nmlf_empty:\n  bx lr\n"

extern char mlf_stack_top[];
volatile uint32_t mlf_wraps;
int main(void);
static void mlf_fail(const char *why);
void mlf_tick(void);

__asm__(".text\n.syntax unified\n.thumb\n.globl mlf_tick\n.type mlf_tick, %function\n.thumb_func\n"
        "mlf_tick:\n  ldr r0, =mlf_wraps\n  ldr r1, [r0]\n  adds r1, r1, #1\n  str r1, [r0]\n"
        "  bx lr\n  .ltorg\n");

static inline uint64_t mlf_now(void) {
  for (;;) {
    const uint32_t wraps = mlf_wraps;
    const uint32_t value = MLF_REGISTER(0xE000E018);
    if (wraps == mlf_wraps) return ((uint64_t)wraps << 24) + (0xFFFFFF - value);
  }
}

static void mlf_put(const void *bytes, size_t count) {
  const uint8_t *byte = bytes;
  for (; count > 0; --count) {
    while ((MLF_REGISTER(MLF_UART + 4) & 1) != 0) {
    }
    MLF_REGISTER(MLF_UART) = *byte++;
  }
}

/* A reset ends the emulator. */
static void mlf_stop(void) {
  MLF_REGISTER(0xE000ED0C) = 0x05FA0004;
  for (;;) {
  }
}

static void mlf_fault(void) {
  MLF_REGISTER(MLF_UART + 8) = 1;
  mlf_fail("it accessed memory that does not exist, or it is not code for this processor");
}

void mlf_start(void) {
  MLF_REGISTER(0xE000ED88) |= 0xF << 20; /* the floating-point unit */
#ifdef __ARM_ARCH_6M__
  MLF_REGISTER(0xE000ED14) |= 1 << 3; /* such a core has no unaligned access */
  __asm__ volatile("mrs r0, control\n  msr control, r0\n  isb" ::: "r0");
#endif
  MLF_REGISTER(MLF_UART + 16) = 16;
  MLF_REGISTER(MLF_UART + 8) = 1;
  MLF_REGISTER(0xE000E014) = 0xFFFFFF;
  MLF_REGISTER(0xE000E018) = 0;
  MLF_REGISTER(0xE000E010) = 7;
  main();
  mlf_stop();
}

/* A fault may be that of the stack. */
__attribute__((naked)) void mlf_fault_entry(void) {
  __asm__("ldr r0, =mlf_stack_top\n  mov sp, r0\n  bl mlf_fault_in_c\n  .ltorg\n");
}
__attribute__((used)) void mlf_fault_in_c(void) { mlf_fault(); }

__attribute__((section(".mlf_vectors"), used)) static void *const mlf_vectors[16] = {
    mlf_stack_top,   mlf_start,       mlf_fault_entry, mlf_fault_entry, mlf_fault_entry,
    mlf_fault_entry, mlf_fault_entry, mlf_fault_entry, 0,               0,
    0,               mlf_fault_entry, mlf_fault_entry, 0,               mlf_fault_entry,
    mlf_tick};
)c";
}

// Reads of minstret are words: assemblers of some versions want another -march for its name.
std::string_view riscv_runtime() {
  return R"c(
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MLF_EMPTY "mlf_empty:\n  ret\n"

int main(void);
static void mlf_fail(const char *why);

static inline uint64_t mlf_now(void) {
  uint32_t high, low, again;
  do {
    __asm__ volatile(
        ".word 0xb8202573\n  mv %0, a0\n  .word 0xb0202573\n  mv %1, a0\n"
        "  .word 0xb8202573\n  mv %2, a0\n"
        : "=&r"(high), "=&r"(low), "=&r"(again)
        :
        : "a0");
  } while (high != again);
  return (uint64_t)high << 32 | low;
}

static void mlf_put(const void *bytes, size_t count) {
  const uint8_t *byte = bytes;
  for (; count > 0; --count) *(volatile uint8_t *)0x10000000 = *byte++;
}

static void mlf_stop(void) {
  *(volatile uint32_t *)0x100000 = 0x5555;
  for (;;) {
  }
}

__attribute__((used, aligned(4))) void mlf_fault(void) {
  mlf_fail("it accessed memory that does not exist, or it is not code for this processor");
}

__attribute__((used)) void mlf_main(void) {
  main();
  mlf_stop();
}

/* 0x30551073 is csrw mtvec, a0. */
__asm__(".section .mlf_start, \"ax\"\n.globl mlf_start\nmlf_start:\n  la sp, mlf_stack_top\n"
        "  la tp, mlf_thread\n  la a0, mlf_trap\n  .word 0x30551073\n  j mlf_main\n"
        ".balign 4\nmlf_trap:\n  la sp, mlf_stack_top\n  j mlf_fault\n.text\n");
)c";
}

// The results are complete only if the program reaches its end; a message is alone.
std::string_view board_runtime() {
  return R"c(
#include "tvm/runtime/c_backend_api.h"

extern char mlf_heap_begin[], mlf_heap_end[];
extern const char mlf_input_bytes[];
__asm__(".section .rodata\n.balign 64\n.globl mlf_input_bytes\nmlf_input_bytes:\n"
        ".incbin " MLF_INPUTS "\n.byte 0\n.text\n");
static const char *mlf_input = mlf_input_bytes;
static char *mlf_top = mlf_heap_begin;

static void mlf_fail(const char *why) {
  mlf_put("mlf: ", 5);
  mlf_put(why, strlen(why));
  mlf_put("\n", 1);
  mlf_stop();
}

static void *mlf_memory(size_t bytes) {
  char *const memory = mlf_top;
  if (bytes > (size_t)(mlf_heap_end - mlf_top)) mlf_fail("the board has not enough memory");
  const size_t size = (bytes + 63) & ~(size_t)63;
  mlf_top = size > (size_t)(mlf_heap_end - mlf_top) ? mlf_heap_end : mlf_top + size;
  return memory;
}

static void mlf_read(void *memory, size_t bytes) {
  memcpy(memory, mlf_input, bytes);
  mlf_input += bytes;
}

static void mlf_save(const void *memory, size_t bytes) { mlf_put(memory, bytes); }

static void mlf_begin(void) {}

/* Behind all results: without it the program has failed. */
static int mlf_end(void) {
  mlf_put("\6", 1);
  return 0;
}

static void mlf_rewind(void) { mlf_input = mlf_input_bytes; }

static void mlf_check(int status) {
  if (status != 0) mlf_fail("the network returned an error");
}

/* A stack of blocks: what is freed in any order is given back with those below it. */
struct mlf_block {
  struct mlf_block *before;
  int is_free;
};
static struct mlf_block *mlf_last;

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int code, int bits) {
  (void)device_type, (void)device_id, (void)code, (void)bits;
  if (bytes > (size_t)(mlf_heap_end - mlf_heap_begin)) mlf_fail("the board has not enough memory");
  struct mlf_block *const block = mlf_memory(64);
  block->before = mlf_last;
  block->is_free = 0;
  mlf_last = block;
  return mlf_memory((size_t)bytes);
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory) {
  (void)device_type, (void)device_id;
  ((struct mlf_block *)((char *)memory - 64))->is_free = 1;
  for (; mlf_last != NULL && mlf_last->is_free; mlf_last = mlf_last->before) {
    mlf_top = (char *)mlf_last;
  }
  return 0;
}

void TVMAPISetLastError(const char *message) { (void)message; }

/* For the allocator of the C library. */
static void *mlf_more(ptrdiff_t bytes) {
  static char memory[65536];
  static char *top = memory;
  if (bytes > memory + sizeof memory - top || bytes < memory - top) return (void *)-1;
  top += bytes;
  return top - bytes;
}
void *_sbrk(ptrdiff_t bytes) { return mlf_more(bytes); }
void *sbrk(ptrdiff_t bytes) { return mlf_more(bytes); }

)c";
}

std::string_view host_runtime() {
  return R"c(
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tvm/runtime/c_backend_api.h"

static FILE *mlf_inputs;
static FILE *mlf_results;

static void mlf_fail(const char *why) {
  fprintf(stderr, "mlf: %s\n", why);
  exit(3);
}

static void mlf_fail_file(const char *why) {
  fprintf(stderr, "mlf: %s: %s\n", why, strerror(errno));
  exit(3);
}

static void *mlf_memory(size_t bytes) {
  const size_t size = (bytes + 64) / 64 * 64;
  void *memory = aligned_alloc(64, size);
  if (memory == NULL) mlf_fail("there is not enough memory");
  return memset(memory, 0, size);
}

static void mlf_read(void *memory, size_t bytes) {
  if (fread(memory, 1, bytes, mlf_inputs) != bytes) mlf_fail("the inputs cannot be read");
}

static void mlf_save(const void *memory, size_t bytes) {
  if (fwrite(memory, 1, bytes, mlf_results) != bytes) mlf_fail_file("cannot write to $TMPDIR");
}

static void mlf_begin(void) {
  mlf_inputs = fopen("inputs", "rb");
  mlf_results = fopen("results", "wb");
  if (mlf_inputs == NULL || mlf_results == NULL) mlf_fail_file("cannot open a file in $TMPDIR");
}

static int mlf_end(void) {
  if (fclose(mlf_results) != 0) mlf_fail_file("cannot write to $TMPDIR");
  return 0;
}

static void mlf_rewind(void) { rewind(mlf_inputs); }

static void mlf_check(int status) {
  if (status == 0) return;
  fprintf(stderr, "mlf: the network returned %d\n", status);
  exit(3);
}

/* Memory of the network is not freed at its end. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int code, int bits) {
  (void)device_type, (void)device_id, (void)code, (void)bits;
  return mlf_memory(bytes);
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory) {
  (void)device_type, (void)device_id;
  free(memory);
  return 0;
}

void TVMAPISetLastError(const char *message) {
  fprintf(stderr, "mlf: the network says: %s\n", message);
}

)c";
}

std::string_view host_clock() {
  return R"c(
#include <time.h>

#define MLF_EMPTY "mlf_empty:\n  ret\n"

static inline uint64_t mlf_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

)c";
}

}  // namespace mlf::run
