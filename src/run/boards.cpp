#include "run/boards.h"

#include <fmt/core.h>

namespace mlf::run {
namespace {

// The C in front of a program that runs a network: its start, memory, files and end.

/// For a Cortex-M with a UART of CMSDK at MLF_UART.
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

/// For the board `virt` with a 32-bit RISC-V.
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

/// Follows one of these: memory, inputs and results of a program on a board.
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

// An instruction takes 256 ns of the board's time. That is several ticks of SysTick, so the number
// of ticks tells the number of instructions exactly.
constexpr std::uint32_t kShift = 8;

struct CortexM {
  std::string_view cpu;
  std::string_view machine;
  std::uint32_t uart;
  Region vectors;
  std::vector<Layout> layouts;
  std::uint32_t tick;
};

Board cortex_m(const CortexM& core) {
  return {.cpu = core.cpu,
          .compiler = "arm-none-eabi-gcc",
          .packages = "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm",
          .machine = core.machine,
          .emulator = "qemu-system-arm",
          .arguments = {},
          .flags = {"-O2", "-std=gnu11", "-w", "-Dhalf=__fp16", "-mthumb", "-mfp16-format=ieee",
                    fmt::format("-mcpu={}", core.cpu)},
          .link = {"-nostartfiles", "--specs=nosys.specs"},
          .runtime = fmt::format("#define MLF_UART 0x{:x}u\n{}{}", core.uart, cortex_m_runtime(),
                                 board_runtime()),
          .vectors = core.vectors,
          .layouts = core.layouts,
          .counter = {.tick = core.tick, .shift = kShift}};
}

/// The boards have 4 MiB of SSRAM for code and 4 MiB for data, and 16 MiB of PSRAM.
std::vector<Layout> layouts_of_mps2(Region code, Region data, std::uint32_t psram) {
  const Region large{psram, 16 * kMiB};
  return {{.code = code, .data = large, .stack = kMiB},
          {.code = large, .data = data, .stack = kMiB}};
}

std::vector<Board> make_boards() {
  constexpr std::uint32_t kVectors = 1024;
  const Region vectors{0, kVectors};
  const Region secure_vectors{0x10000000, kVectors};
  const Region code{kVectors, 4 * kMiB - kVectors};
  const Region data{0x20000000, 4 * kMiB};
  const Region secure_code{0x10000000 + kVectors, 4 * kMiB - kVectors};
  const Region secure_data{0x38000000, 2 * kMiB};
  const std::vector<Layout> mps2 = layouts_of_mps2(code, data, 0x21000000);
  std::vector<Board> boards;
  // The instruction set of a Cortex-M0+ is a part of that of a Cortex-M3, and QEMU has no board
  // with it and enough memory.
  for (const char* const cpu : {"cortex-m0plus", "cortex-m3"}) {
    boards.push_back(cortex_m({cpu, "mps2-an385", 0x40004000, vectors, mps2, 160}));
  }
  boards.push_back(cortex_m({"cortex-m4", "mps2-an386", 0x40004000, vectors, mps2, 160}));
  boards.push_back(cortex_m({"cortex-m7", "mps2-an500", 0x40004000, vectors,
                             layouts_of_mps2(code, data, 0x60000000), 160}));
  boards.push_back(cortex_m({"cortex-m33", "mps2-an505", 0x40200000, secure_vectors,
                             layouts_of_mps2(secure_code, secure_data, 0x80000000), 200}));
  boards.push_back(cortex_m(
      {"cortex-m55",
       "mps3-an547",
       0x59303000,
       secure_vectors,
       {{.code = {0x60000000, 128 * kMiB}, .data = {0x68000000, 128 * kMiB}, .stack = 8 * kMiB}},
       125}));
  boards.push_back({.cpu = "rv32imc",
                    .compiler = "riscv64-unknown-elf-gcc",
                    .packages = "gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf and "
                                "qemu-system-misc",
                    .machine = "virt",
                    .emulator = "qemu-system-riscv32",
                    .arguments = {"-bios", "none", "-m", "256M"},
                    .flags = {"-O2", "-std=gnu11", "-w", "-Dhalf=_Float16", "-march=rv32imc",
                              "-mabi=ilp32", "--specs=picolibc.specs"},
                    .link = {"-nostartfiles"},
                    .runtime = fmt::format("{}{}", riscv_runtime(), board_runtime()),
                    .vectors = {},
                    .layouts = {{.code = {0x80000000, 128 * kMiB},
                                 .data = {0x88000000, 128 * kMiB},
                                 .stack = 8 * kMiB}},
                    .counter = {}});
  return boards;
}

std::string region_text(std::string_view name, const Region& region) {
  return fmt::format("  {} (rwx) : ORIGIN = 0x{:x}, LENGTH = 0x{:x}\n", name, region.begin,
                     region.bytes);
}

}  // namespace

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

std::span<const Board> boards() {
  static const std::vector<Board> kBoards = make_boards();
  return kBoards;
}

std::string linker_script(const Board& board, const Layout& layout) {
  const bool has_vectors = board.vectors.bytes != 0;
  // The stack is first: below it a Cortex-M has no memory, so that its overflow is a fault, and the
  // RISC-V has memory that nothing uses.
  return fmt::format(
      R"(ENTRY(mlf_start)
MEMORY {{
{}{}{}}}
SECTIONS {{
{}  .text : {{ KEEP(*(.mlf_start)) *(.text*) *(.rodata*) *(.srodata*) *(.ARM.extab*) }} > code
  .ARM.exidx : {{ *(.ARM.exidx*) }} > code
  .stack (NOLOAD) : {{ . += 0x{:x}; mlf_stack_top = .; }} > data
  .data : {{ *(.data*) *(.sdata*) }} > data
  .tdata : {{ mlf_thread = .; *(.tdata*) }} > data
  .tbss (NOLOAD) : {{ *(.tbss*) }} > data
  .tbss_space (NOLOAD) : {{ . += SIZEOF(.tbss); }} > data
  .bss (NOLOAD) : {{ *(.bss*) *(.sbss*) *(COMMON) }} > data
  mlf_heap_begin = ALIGN(64);
  mlf_heap_end = ORIGIN(data) + LENGTH(data);
}}
)",
      has_vectors ? region_text("vectors", board.vectors) : "", region_text("code", layout.code),
      region_text("data", layout.data),
      has_vectors ? "  .vectors : { KEEP(*(.mlf_vectors)) } > vectors\n" : "", layout.stack);
}

std::uint64_t instructions_at(const Counter& counter, std::uint64_t time) {
  if (counter.tick == 0) return time;
  // A handler of five instructions counts the overflows of SysTick's 24 bits. The counter begins
  // one tick late. The nearest instruction is in the middle of a tick.
  constexpr std::uint64_t kHandler = 5;
  const std::uint64_t instruction = std::uint64_t{8} << counter.shift;
  return ((2 * time + 3) * counter.tick + instruction / 2) / instruction - kHandler * (time >> 24);
}

}  // namespace mlf::run
