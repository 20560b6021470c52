// Calls of functions around the calls of main, for measurements on boards.
#include <fmt/core.h>

#include <algorithm>

#include "archive/rewrite.h"
#include "edit/call_slots.h"
#include "edit/edited_archive.h"
#include "mlf/profile.h"
#include "process/regenerate.h"
#include "support/characters.h"
#include "support/error.h"

namespace mlf {
namespace profile {
namespace {

using edit::Edit;
using edit::refuse;
using support::get_or_throw;

// --- The members that instrumenting adds --------------------------------------------------------

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

struct AddedMember {
  std::string name;
  std::string text;
};

/// The name of the header, as main includes it.
std::string instrument_header(std::string_view module) {
  return fmt::format("{}_mlf_calls.h", module);
}

/// The header, the C without an effect, and the example for boards, for this number of calls.
std::vector<AddedMember> instrument_members(std::string_view module, std::size_t calls) {
  const std::string header = instrument_header(module);
  return {{"codegen/host/include/" + header, fmt::format(kHeader, calls)},
          {fmt::format("codegen/host/src/{}_mlf_calls.c", module), fmt::format(kDefaults, header)},
          {fmt::format("mlf_calls/{}_example.c", module), fmt::format(kExample, header)}};
}

// --- Main ---------------------------------------------------------------------------------------

std::string begin_of(std::size_t call) {
  return fmt::format("mlf_call_begin({}); ", call);
}

std::string end_of(std::size_t call) {
  return fmt::format(" mlf_call_end({});", call);
}

std::string include_line(std::string_view module) {
  return fmt::format("#include \"{}\"\n", instrument_header(module));
}

bool mentions_instruments(std::string_view text) {
  return text.find("mlf_call_begin") != text.npos || text.find("mlf_call_end") != text.npos;
}

/// Names of modules come from the archive and become names of files.
void check_name(const std::string& module) {
  const auto is_safe = [](char c) { return support::is_word_character(c) || c == '-' || c == '.'; };
  if (module.empty() || !std::ranges::all_of(module, is_safe)) {
    refuse("the name of module '" + module + "' is not valid in the name of a file");
  }
}

std::string instrumented(const edit::MainCalls& main, const std::string& module) {
  if (mentions_instruments(main.text)) refuse("main is instrumented already", main.member->name);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const tir::SourceRange range = main.slots[i].place.range;
    edits.push_back({{range.begin, range.begin}, begin_of(i)});
    edits.push_back({{range.end, range.end}, end_of(i)});
  }
  return include_line(module) + edit::apply(main.text, std::move(edits));
}

/// Removes the calls of functions, in the order in which they were added.
std::string without_instruments(std::string_view text, std::size_t header,
                                const std::string& member) {
  std::string result;
  std::size_t kept = header;
  const auto take_out = [&](const std::string& added) {
    const std::size_t at = text.find(added, kept);
    if (at == text.npos) return false;
    result += text.substr(kept, at - kept);
    kept = at + added.size();
    return true;
  };
  for (std::size_t call = 0; take_out(begin_of(call)); ++call) {
    if (!take_out(end_of(call))) break;
  }
  result += text.substr(kept);
  if (mentions_instruments(result)) refuse("the calls in main are not as mlf writes them", member);
  return result;
}

archive::Lost instrument(const Deployment& deployment, const Network& network,
                         const std::string& output) {
  const std::string& module = deployment.library().modules[network.module].name;
  check_name(module);
  if (network.topology.provenance.kind == graph::ProvenanceKind::graph_json) {
    refuse("a graph executor has no main: its runtime calls the kernels");
  }
  edit::EditedMembers members(deployment);
  const edit::MainCalls main = edit::calls_of_main(members, network);
  archive::Changes changes;
  changes.edit.push_back({main.member->name, instrumented(main, module)});
  for (const AddedMember& one : instrument_members(module, main.slots.size())) {
    const bool exists = deployment.archive().find(one.name) != nullptr;
    if (exists) refuse("the archive has this file already", one.name);
    changes.add.push_back(
        {.name = one.name,
         .like = main.member,
         .write = [text = one.text](support::ByteSink& sink) { sink.write(text); },
         .size = one.text.size()});
  }
  return process::write_regenerated(deployment.archive(), changes, output);
}

/// The changes of one module, if its main is instrumented.
void add_removal(const Deployment& deployment, const Module& module, archive::Changes& changes) {
  const archive::Archive& archive = deployment.archive();
  const std::string include = include_line(module.name);
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = get_or_throw(archive.read(*archive.find(file.name)));
    if (!text.starts_with(include) || !mentions_instruments(text)) continue;
    changes.edit.push_back({file.name, without_instruments(text, include.size(), file.name)});
    for (const AddedMember& one : instrument_members(module.name, 0)) {
      if (archive.find(one.name) != nullptr) changes.remove.push_back(one.name);
    }
  }
}

archive::Lost remove_instruments(const Deployment& deployment, const std::string& output) {
  archive::Changes changes;
  for (const Module& module : deployment.library().modules) {
    add_removal(deployment, module, changes);
  }
  if (changes.edit.empty()) refuse("no main in it is instrumented");
  return process::write_regenerated(deployment.archive(), changes, output);
}

}  // namespace
}  // namespace profile

Result<std::vector<std::string>> write_instrumented(const Deployment& deployment,
                                                    const Network& network,
                                                    const std::string& output) {
  return support::to_result_in(deployment.archive().path(),
                               [&] { return profile::instrument(deployment, network, output); });
}

Result<std::vector<std::string>> write_without_instruments(const Deployment& deployment,
                                                           const std::string& output) {
  return support::to_result_in(deployment.archive().path(),
                               [&] { return profile::remove_instruments(deployment, output); });
}

}  // namespace mlf
