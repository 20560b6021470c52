#include "profile/instrument_texts.h"

#include <fmt/core.h>

namespace mlf::profile {
namespace {

// Definitions follow directives, so that readers of generated C do not find them.
constexpr std::string_view kHeader =
    R"c(/* Calls of main, as mlf profile --instrument has added them. mlf profile --remove removes them. */
#ifndef MLF_CALLS_H
#define MLF_CALLS_H

/* How many calls main has; they are numbered from 0. */
#define MLF_CALLS {}

#ifdef __cplusplus
extern "C" {{
#endif
/* Before and after each call. Define both to measure; the definitions here do nothing. */
void mlf_call_begin(int call);
void mlf_call_end(int call);
#ifdef __cplusplus
}}
#endif

#ifdef MLF_CALLS_DEFAULTS
__attribute__((weak)) void mlf_call_begin(int call) {{ (void)call; }}
__attribute__((weak)) void mlf_call_end(int call) {{ (void)call; }}
#endif

#endif
)c";

constexpr std::string_view kDefaults = R"c(#define MLF_CALLS_DEFAULTS
#include "{}"
)c";

constexpr std::string_view kExample =
    R"c(/* Measures each call of main. Add this file to your project, with one of these definitions:
 *   MLF_DWT     cycles of a Cortex-M3, M4, M7, M33 or M55, by DWT->CYCCNT
 *   MLF_MCYCLE  cycles of a RISC-V, by mcycle
 *   MLF_CLOCK   an expression of yours: a counter of 32 bits that counts upwards
 *   MLF_GPIO    a pin that is high during each call, for a logic analyser: MLF_PIN_HIGH() and
 *               MLF_PIN_LOW() set it
 * Call mlf_calls_begin() once and mlf_calls_print() after each run of the network. What it prints is
 * the file of mlf profile --measured; several runs one behind the other are one file. */
#include <stdint.h>
#include <stdio.h>

#include "{}"

void mlf_calls_begin(void);
void mlf_calls_print(void);

#ifdef MLF_GPIO

void mlf_calls_begin(void) {{ MLF_PIN_LOW(); }}
void mlf_call_begin(int call) {{ (void)call; MLF_PIN_HIGH(); }}
void mlf_call_end(int call) {{ (void)call; MLF_PIN_LOW(); }}
void mlf_calls_print(void) {{}}

#else

#if defined(MLF_DWT)
#define MLF_CLOCK (*(volatile uint32_t *)0xE0001004)
#elif defined(MLF_MCYCLE)
static uint32_t mlf_mcycle(void) {{
  unsigned long cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
  return (uint32_t)cycles;
}}
#define MLF_CLOCK mlf_mcycle()
#endif

static uint32_t mlf_cycles[MLF_CALLS];
static uint32_t mlf_overhead;
static uint32_t mlf_begun;

void mlf_call_begin(int call) {{
  (void)call;
  mlf_begun = MLF_CLOCK;
}}

void mlf_call_end(int call) {{
  const uint32_t now = MLF_CLOCK;
  const uint32_t cycles = now - mlf_begun;
  mlf_cycles[call] = cycles > mlf_overhead ? cycles - mlf_overhead : 0;
}}

void mlf_calls_begin(void) {{
#ifdef MLF_DWT
  *(volatile uint32_t *)0xE000EDFC |= 1u << 24; /* DEMCR.TRCENA */
  *(volatile uint32_t *)0xE0001000 |= 1u;       /* DWT_CTRL.CYCCNTENA */
#endif
  mlf_call_begin(0);
  mlf_call_end(0);
  mlf_overhead = mlf_cycles[0];
}}

void mlf_calls_print(void) {{
  printf("call,cycles\n");
  for (int call = 0; call < MLF_CALLS; ++call) {{
    printf("%d,%lu\n", call, (unsigned long)mlf_cycles[call]);
  }}
}}

#endif
)c";

}  // namespace

std::string instrument_header(std::string_view module) {
  return fmt::format("{}_mlf_calls.h", module);
}

std::vector<AddedMember> instrument_members(std::string_view module, std::size_t calls) {
  const std::string header = instrument_header(module);
  return {{"codegen/host/include/" + header, fmt::format(kHeader, calls)},
          {fmt::format("codegen/host/src/{}_mlf_calls.c", module), fmt::format(kDefaults, header)},
          {fmt::format("mlf_calls/{}_example.c", module), fmt::format(kExample, header)}};
}

}  // namespace mlf::profile
