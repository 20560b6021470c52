"""Code size and instructions of a network on a Cortex-M4, by arm-none-eabi-gcc and QEMU.

With `-icount shift=0` QEMU executes one instruction in a nanosecond of the board's time, so that SysTick
counts instructions: the same number in every run.
"""

import collections
import dataclasses
import re
import shutil
import subprocess

import generated_c
import plan_programs

COMPILER, NM = "arm-none-eabi-gcc", "arm-none-eabi-nm"
BOARD = ["-M", "mps2-an386", "-icount", "shift=0", "-nographic", "-monitor", "none", "-serial", "none"]
# SysTick of the board runs at 25 MHz.
INSTRUCTIONS_A_TICK = 40
CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfp16-format=ieee"]
TIMER = f"""
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;
static void begin_run(void) {{
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5; /* the processor's clock, no interrupt */
}}
static void end_run(void) {{
  const uint32_t left = systick[2];
  if (systick[0] & 0x10000) printf("overflow\\n");
  printf("instructions %lu\\n", (unsigned long)(0xFFFFFF - left) * {INSTRUCTIONS_A_TICK});
}}
"""


def is_there():
    return all(shutil.which(tool) for tool in (COMPILER, NM, "qemu-system-arm"))


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of all functions that the archive's C defines, and of one run."""

    code: int
    instructions: int


def code_by_function(network, optimization):
    """.text of each function of the archive's own C."""
    sizes = collections.Counter()
    for source in network.sources:
        target = network.directory / f"size-{source.stem}.o"
        flags = [*plan_programs.BASE, "-w", optimization, *CPU, "-Dhalf=__fp16", *network.include]
        plan_programs.compile_c(
            *flags, "-c", str(source), "-o", str(target), directory=network.directory, compiler=COMPILER
        )
        lines = subprocess.run([NM, "-S", target], capture_output=True, text=True, check=True).stdout
        for line in lines.splitlines():
            parts = line.split()
            if len(parts) == 4 and parts[2] in "tT":
                sizes[parts[3]] += int(parts[1], 16)
    return sizes


def instructions(network, optimization):
    """Of one run."""
    driver = network.directory / "timed.c"
    text = plan_programs.driver_text(network.document, network.headers, 1, TIMER, network.entry, network.given)
    text = re.sub(r"fwrite\([^;]*stdout\);", "", text)
    driver.write_text(text)
    program = network.directory / "timed"
    build = plan_programs.BUILDS["cortex-m"]
    flags = [*plan_programs.BASE, "-w", optimization, *CPU, "-Dhalf=__fp16", "-include", "malloc.h"]
    flags += ["-Daligned_alloc=memalign", "--specs=rdimon.specs"]
    flags += ["-T", str(generated_c.RUNTIME / "cortex_m.ld"), *network.include]
    sources = [str(one) for one in network.sources if one != network.entry]
    allocator = str(generated_c.RUNTIME / "allocator.c")
    plan_programs.compile_c(
        *flags, str(driver), allocator, *sources, "-lm", "-o", str(program),
        directory=network.directory, compiler=build.compiler,
    )  # fmt: skip
    command = ["qemu-system-arm", *BOARD, "-semihosting-config", "enable=on,target=native", "-kernel"]
    result = subprocess.run([*command, program], capture_output=True, check=False, timeout=600)
    found = re.search(rb"instructions (\d+)", result.stdout)
    if result.returncode or not found or b"overflow" in result.stdout:
        raise plan_programs.Failed(f"{program}: {result.stdout!r} {result.stderr!r}")
    return int(found[1])


def cost(network):
    """Code as firmware is built for size, instructions as it is built for speed."""
    code = sum(code_by_function(network, "-Os").values())
    return Cost(code, instructions(network, "-O2"))
