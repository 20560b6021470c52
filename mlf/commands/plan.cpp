// mlf plan: finds less memory for a network, and offsets for any buffers.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "commands/budget_file.h"
#include "graph/formats/dot_text.h"
#include "mlf/plan.h"
#include "support/digits.h"
#include "support/error.h"
#include "table.h"

namespace mlf::program {
namespace {

using support::Error;
using support::get_or_throw;

/// The details that are shown besides the sums.
struct PlanDetails {
  bool offsets = false;  ///< every buffer that moves
  bool scratch = false;  ///< what the workspaces of each call cost
  /// Shows offsets with results over their inputs, if that is smaller.
  bool in_place = false;
};

struct PlanArguments {
  std::string archive;
  std::string problem;
  std::string capacity;
  double seconds = 0;  ///< 0: the library's default number of steps
  PlanDetails details{};
  bool json = false;
  std::vector<std::string> memories;  ///< "NAME=BYTES" each
};

/// Plans an archive, or a file of buffers: their options exclude each other.
void declare_plan_options(CLI::App& app, PlanArguments& options) {
  auto* problem =
      add_option(app, "--problem", options.problem, {"FILE", "Buffers without an archive"},
                 "Plan these buffers instead, in the CSV format of MiniMalloc: id, lower, upper "
                 "and size, also alignment, gaps and offset where it is fixed; - is standard "
                 "input");
  app.add_option("ARCHIVE", options.archive, kArchiveHelp)->excludes(problem);
  add_option(app, "--capacity", options.capacity, {"N", "Buffers without an archive"},
             "Bytes of the pool: the search ends when the buffers fit; exit code 1 if they do "
             "not")
      ->check(size_with_unit())
      ->needs(problem);
  add_option(app, "--seconds", options.seconds, {"S", "Search"},
             "End the search after this number of seconds; a first plan is always made")
      ->check(number_above_0());
  add_flag(app, "--offsets", options.details.offsets, "Output", "List every buffer that would move")
      ->excludes(problem);
  add_flag(app, "--scratch", options.details.scratch, "Output",
           "For workspaces in a pool, list what they add to the peak of each call")
      ->excludes(problem);
  add_flag(app, "--json", options.json, "Output", "Print JSON (schemas/plan.md)")
      ->excludes(problem);
  add_flag(app, "--in-place", options.details.in_place, "Output",
           "With --offsets, list those of the plan in which results are written over their inputs")
      ->excludes(problem);
  add_option(
      app, "--pool", options.memories, {"NAME=BYTES", "Several memories"},
      "A memory of the board, such as fast=64K, the fastest first, or flash=1M:constants for "
      "constants alone; repeatable. Puts the "
      "buffers with most accesses into the first; --offsets lists all. Exit code 1 if they do not "
      "fit")
      ->excludes(problem);
}

plan::SearchLimits limits_of(const PlanArguments& options) {
  plan::SearchLimits limits;
  if (options.seconds > 0) {
    // Limits the time instead of the number of steps.
    limits.seconds = std::chrono::duration<double>(options.seconds);
    limits.steps = UINT64_MAX;
  }
  return limits;
}

/// "fast=64K" or "flash=1M:constants" each, in their order. Errors: `usage`.
std::vector<plan::MemoryLimit> memories_of(const std::vector<std::string>& texts) {
  std::vector<plan::MemoryLimit> memories;
  for (const std::string& text : texts) {
    constexpr std::string_view kConstants = ":constants";
    const bool has_only_constants = text.ends_with(kConstants);
    auto [name, bytes] = named_size(
        "--pool", text.substr(0, text.size() - (has_only_constants ? kConstants.size() : 0)));
    if (bytes == 0) {
      throw Error(ErrorKind::usage, fmt::format("--pool {}: a memory has at least one byte", text));
    }
    if (std::ranges::find(memories, name, &plan::MemoryLimit::name) != memories.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("--pool {}: there are two memories '{}'", text, name));
    }
    memories.push_back({std::move(name), bytes, has_only_constants});
  }
  return memories;
}

// --- Tables --------------------------------------------------------------------------------------

std::string bytes_or_unknown(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "?";
}

std::optional<std::uint64_t> size_of(const std::optional<plan::PlannerResult>& result) {
  return result ? std::optional(result->size) : std::nullopt;
}

/// An asterisk if a smaller plan may exist.
std::string best_of(const plan::PoolPlan& plan) {
  return std::to_string(plan.best.size) + (plan.best.proven ? " " : "*");
}

Table pools_table(const ArchivePlan& plan) {
  Table table({"MODULE", "POOL", "#NOW", "#BOUND", "#BEST", "#GAIN", "#%", "#BY SIZE",
               "#BY CONFLICTS", "#HILL CLIMB"});
  for (const ModulePlan& module : plan.modules) {
    for (const ModulePoolPlan& pool : module.pools) {
      const plan::PoolPlan& one = pool.plan;
      const std::optional<std::uint64_t> now = one.now.declared ? one.now.declared : one.now.used;
      const bool is_planned = !one.is_refused();
      table.add({module.name, (*module.network)[one.now.pool].name, bytes_or_unknown(now),
                 is_planned ? to_string(one.now.lower_bound) : "?", is_planned ? best_of(one) : "?",
                 is_planned ? std::to_string(one.gain()) : "?",
                 is_planned ? percent(one.gain(), now.value_or(0)) : "?",
                 bytes_or_unknown(size_of(one.greedy_by_size)),
                 bytes_or_unknown(size_of(one.greedy_by_conflicts)),
                 bytes_or_unknown(size_of(one.hill_climb))});
    }
  }
  return table;
}

/// Whether neither bound of some memory is known.
bool may_be_anything(const graph::Topology& network) {
  return std::ranges::any_of(network.memory, [](const graph::MemoryUse& use) {
    return use.exactness == graph::Exactness::unknown;
  });
}

/// The lower bound of tensors and workspaces together, including pools.
std::string bound_of_allocations(const ModulePlan& module) {
  return module.pools.empty() ? to_string(module.lower_bound) : "-";
}

/// The memory of networks that allocate while they run, and the size of one planned pool instead.
Table allocations_table(const ArchivePlan& plan) {
  Table table({"MODULE", "#EXECUTOR", "#HEAP", "#STACK", "#BOUND", "#ALL IN ONE POOL",
               "#TENSORS IN ONE POOL"});
  for (const ModulePlan& module : plan.modules) {
    if (!module.allocations) continue;
    const plan::StaticPlan& one = *module.allocations;
    const auto bytes_text = [&](std::uint64_t bytes) {
      if (may_be_anything(*module.network)) return std::string("unknown");
      // Marks a lower bound.
      return (one.uncertain.empty() ? "" : ">=") + std::to_string(bytes);
    };
    table.add({module.name, std::to_string(one.executor), bytes_text(one.heap),
               bytes_text(one.stack), bound_of_allocations(module),
               bytes_text(one.with_kernels.size), bytes_text(one.main.size)});
  }
  return table;
}

/// Bytes accessed: "4096", "0-4096", or ">=0" if the most is unknown.
std::string count_of(const analysis::Count& count) {
  if (!count.is_known()) return fmt::format(">={}", count.min);
  return count.is_exact() ? std::to_string(count.min) : fmt::format("{}-{}", count.min, *count.max);
}

/// The content of each memory. Compares the first one's share with an upper bound for all splits.
Table memories_table(const ArchivePlan& plan) {
  Table table({"=MODULE", "MEMORY", "#LIMIT", "#BYTES", "#BUFFERS", "#ACCESSED", "#AT MOST"});
  for (const ModulePlan& module : plan.modules) {
    if (!module.split) continue;
    const plan::PoolSplit& split = module.split->split;
    for (std::size_t i = 0; i < split.memories.size(); ++i) {
      const plan::SplitMemory& one = split.memories[i];
      // What does not fit may access more.
      const bool has_bound = i == 0 && one.size <= one.limit.bytes;
      table.add({module.name, one.limit.name, std::to_string(one.limit.bytes),
                 std::to_string(one.size), std::to_string(one.buffers), count_of(one.accessed),
                 has_bound ? std::to_string(split.most_in_first) : std::string("-")});
    }
  }
  return table;
}

Table places_table(const ArchivePlan& plan) {
  Table table({"=MODULE", "BUFFER", "#BYTES", "#ACCESSED", "MEMORY", "#OFFSET"});
  for (const ModulePlan& module : plan.modules) {
    if (!module.split) continue;
    for (std::size_t i = 0; i < module.split->buffers.size(); ++i) {
      const plan::AccessedBuffer& one = module.split->buffers[i];
      const plan::SplitPlace& place = module.split->split.places[i];
      table.add({module.name, one.buffer.id, std::to_string(one.buffer.size),
                 count_of(one.accessed), module.split->split.memories[place.memory].limit.name,
                 std::to_string(place.offset)});
    }
  }
  return table;
}

/// The short names of kernels, by the names of their functions.
std::map<std::string, std::string> names_of_kernels(const ModulePlan& module) {
  std::map<std::string, std::string> names;
  if (!module.network) return names;
  const std::vector<std::string> short_names = graph::short_names(*module.network);
  for (std::size_t i = 0; i < short_names.size(); ++i) {
    names.emplace(module.network->kernels[i].function, short_names[i]);
  }
  return names;
}

/// The buffers that move: to the offsets of the best plan, or of the one in place if the user chose
/// it.
Table offsets_table(const ArchivePlan& plan, const PlanDetails& details) {
  Table table({"=MODULE", "FUNCTION", "BUFFER", "#BYTES", "#NOW", "#BEST"});
  for (const ModulePlan& module : plan.modules) {
    const std::map<std::string, std::string> names = names_of_kernels(module);
    for (const ModulePoolPlan& pool : module.pools) {
      const plan::PoolPlan& one = pool.plan;
      const std::vector<std::uint64_t>& offsets =
          details.in_place && one.in_place ? one.in_place->offsets : one.best.offsets;
      for (std::size_t i = 0; i < one.now.buffers.size(); ++i) {
        const plan::PlannedBuffer& buffer = one.now.buffers[i];
        if (offsets[i] == buffer.offset) continue;
        const auto name = names.find(buffer.function);
        table.add({module.name, name == names.end() ? buffer.function : name->second,
                   buffer.variable, std::to_string(buffer.bytes), std::to_string(buffer.offset),
                   std::to_string(offsets[i])});
      }
    }
  }
  return table;
}

Table scratch_table(const ArchivePlan& plan) {
  Table table({"=MODULE", "CALL", "#SCRATCH", "#PEAK", "#WITHOUT"});
  for (const ModulePlan& module : plan.modules) {
    for (const ModulePoolPlan& pool : module.pools) {
      for (const plan::ScratchCost& cost : pool.scratch) {
        table.add({module.name, (*module.network)[cost.call].name, bytes_or_unknown(cost.scratch),
                   bytes_or_unknown(cost.peak), bytes_or_unknown(cost.without)});
      }
    }
  }
  return table;
}

/// The result of other orders of calls, or the reason why it is unknown; empty if none is better.
std::string order_remark(const ModulePlan& module) {
  if (!module.order) return {};
  const std::string& why_not = module.order->order.not_searched;
  if (!why_not.empty()) {
    return fmt::format("{}: no other order of calls was looked for: {}\n", printable(module.name),
                       why_not);
  }
  if (!module.order->changes()) return {};
  std::string text;
  for (std::size_t i = 0; i < module.pools.size(); ++i) {
    text += fmt::format(
        "{}: {} would need {}{} with its calls in another order (mlf optimize "
        "--reorder)\n",
        printable(module.name), printable((*module.network)[module.pools[i].plan.now.pool].name),
        module.order->pools[i].size, module.order->order.proven ? "" : "*");
  }
  return text;
}

/// The reason why there is no plan, or no better one.
std::string remarks(const ArchivePlan& plan) {
  std::string text;
  bool has_gap = false;
  for (const ModulePlan& module : plan.modules) {
    if (module.missing) {
      text += fmt::format("{}: {}\n", printable(module.name), to_string(*module.missing));
    }
    for (const ModulePoolPlan& pool : module.pools) {
      if (pool.plan.in_place) {
        text += fmt::format(
            "{}: {} would need {} if results were written over their inputs (mlf "
            "optimize --in-place)\n",
            printable(module.name), printable((*module.network)[pool.plan.now.pool].name),
            pool.plan.in_place->size);
      }
      has_gap = has_gap || (!pool.plan.is_refused() && !pool.plan.best.proven);
      for (const std::string& why : pool.plan.now.refused) {
        text += fmt::format("{}: {} stays as it is: {}\n", printable(module.name),
                            printable((*module.network)[pool.plan.now.pool].name), printable(why));
      }
    }
    text += order_remark(module);
    has_gap = has_gap || (module.order && module.order->changes() && !module.order->order.proven);
    if (module.network && module.pools.empty() && !module.allocations) {
      text += fmt::format("{}: {}\n", printable(module.name),
                          module.network->gaps.empty()
                              ? "it allocates no memory"
                              : "its memory is unknown: " + printable(module.network->gaps[0]));
    }
  }
  if (std::ranges::any_of(plan.modules,
                          [](const auto& one) { return one.allocations.has_value(); })) {
    text +=
        "BOUND and ALL IN ONE POOL include the workspaces of kernels; TENSORS IN ONE POOL "
        "does not\n";
  }
  if (has_gap) text += "* a smaller one may exist: the search ended before it was sure\n";
  return text;
}

/// The reason why a requested list is missing.
std::string empty_lists(const PlanDetails& details, const Table& offsets, const Table& scratch) {
  std::string text;
  if (details.offsets && offsets.empty()) {
    text += "--offsets: no buffer of a memory pool would move\n";
  }
  if (details.scratch && scratch.empty()) {
    text += "--scratch: no call has workspaces in a memory pool\n";
  }
  return text;
}

/// A table of pools, one of allocations at run time, then requested details: a split into memories,
/// with the offset of each buffer if offsets are shown; a line for each rejected pool and each
/// module without a network.
std::string to_text(const ArchivePlan& plan, const PlanDetails& details, const Screen& screen) {
  const Table offsets = offsets_table(plan, details);
  const Table scratch = scratch_table(plan);
  std::vector<Table> tables{pools_table(plan), allocations_table(plan), memories_table(plan)};
  if (details.offsets) tables.push_back(offsets);
  if (details.offsets) tables.push_back(places_table(plan));
  if (details.scratch) tables.push_back(scratch);
  std::string text;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += "\n";
    text += part;
  };
  for (const Table& table : tables) {
    if (!table.empty()) add(table.text(screen));
  }
  add(lines_for(remarks(plan) + empty_lists(details, offsets, scratch), screen));
  return text;
}

// --- The command ---------------------------------------------------------------------------------

/// The memory that the split exceeds. The search is a heuristic: another split may fit.
std::string excess_of(const plan::PoolSplit& split) {
  for (const plan::SplitMemory& one : split.memories) {
    if (one.size <= one.limit.bytes) continue;
    return fmt::format(
        "no split was found that fits: {} bytes of buffers are left for '{}', which has {}",
        one.size, printable(one.limit.name), one.limit.bytes);
  }
  return "no split was found that fits";
}

/// Fails for the first module whose buffers do not fit, or may not fit, and if there is nothing to
/// split.
void require_split(const ArchivePlan& plan) {
  bool has_networks = false;
  for (const ModulePlan& module : plan.modules) {
    if (!module.network) continue;
    has_networks = true;
    if (module.split && module.split->split.fits) continue;
    const std::string why = module.split           ? excess_of(module.split->split)
                            : module.pools.empty() ? "its buffers are not known"
                                                   : "its pools cannot be planned";
    throw Error(ErrorKind::check_failed,
                fmt::format("module '{}': {}", printable(module.name), why));
  }
  if (has_networks) return;
  throw Error(ErrorKind::check_failed, "no module has a network to plan");
}

void plan_networks(const PlanArguments& options, const Context& context) {
  const Deployment deployment = open_archive(options.archive, context);
  const std::vector<plan::MemoryLimit> memories = memories_of(options.memories);
  const ArchivePlan plan = get_or_throw(plan_archive(deployment, limits_of(options), memories));
  print(options.json ? to_json(plan, form_of(context, {&deployment}))
                     : to_text(plan, options.details, screen_of_standard_output()));
  if (!memories.empty()) return require_split(plan);
  const bool has_network =
      std::ranges::any_of(plan.modules, [](const ModulePlan& module) { return !module.missing; });
  if (!has_network) throw Error(ErrorKind::check_failed, "no module has a network to plan");
}

std::string summary(const plan::Solution& solution, std::size_t buffers) {
  const std::string quality = solution.size == solution.lower_bound
                                  ? "no plan is smaller"
                                  : fmt::format("every plan needs {}", solution.lower_bound);
  return fmt::format("{} buffers in {} bytes; {}", buffers, solution.size, quality);
}

/// The rows of the file with a column `offset`: the best ones found, even if they do not fit.
void plan_problem(const PlanArguments& options, const Console& console) {
  const TirFile file = get_or_throw(load_tir_file(options.problem));
  plan::ProblemCsv csv = get_or_throw(plan::read_problem_csv(file.text, options.problem));
  if (!options.capacity.empty()) {
    csv.problem.capacity = get_or_throw(number_of(options.capacity));
  }
  plan::SearchLimits limits = limits_of(options);
  if (!limits.seconds) {
    // A problem in a file may be arbitrarily hard, so time ends the search, not steps.
    limits.seconds = std::chrono::minutes(1);
    limits.steps = UINT64_MAX;
  }
  const plan::Solution solution =
      get_or_throw(plan::solve(csv.problem, limits).map_error([&](Diagnostic diagnostic) {
        return in_file(std::move(diagnostic), options.problem);
      }));
  get_or_throw(plan::check_offsets(csv.problem, solution.offsets));
  print(plan::to_csv(csv, solution.offsets));
  console.note(summary(solution, csv.problem.buffers.size()));
  if (solution.fits) return;
  throw Error(
      ErrorKind::check_failed,
      fmt::format("no plan {} {} bytes", solution.proven ? "fits into" : "was found in time for",
                  *csv.problem.capacity));
}

int run_plan(const PlanArguments& options, const Context& context) {
  if (!options.problem.empty()) {
    plan_problem(options, context.console);
  } else if (!options.archive.empty()) {
    plan_networks(options, context);
  } else {
    throw Error(ErrorKind::usage, "nothing to plan: give ARCHIVE or --problem FILE");
  }
  return 0;
}

}  // namespace

Command plan_command(CLI::App& parent) {
  return make_command(
      parent, "plan",
      "Find offsets of buffers that need less memory. For an archive, show what each memory pool "
      "takes, what it would take with other offsets or another order of calls, and the lower "
      "bound. mlf optimize writes an archive with these offsets",
      declare_plan_options, run_plan);
}

}  // namespace mlf::program
