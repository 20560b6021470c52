#include "run/boards.h"

#include <fmt/core.h>

#include <algorithm>

#include "run/runtimes.h"

namespace mlf::run {
namespace {

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
