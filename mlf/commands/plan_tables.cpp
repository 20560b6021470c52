#include "commands/plan_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "support/percent.h"
#include "table.h"

namespace mlf::program {
namespace {

std::string bytes_or_unknown(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "?";
}

std::optional<std::uint64_t> size_of(const std::optional<plan::PlannerResult>& result) {
  return result ? std::optional(result->size) : std::nullopt;
}

/// An asterisk where it is not proven that no plan is smaller.
std::string best_of(const plan::PoolPlan& plan) {
  return std::to_string(plan.best.size) + (plan.best.proven ? " " : "*");
}

Table pools_table(const ArchivePlan& plan) {
  Table table({"MODULE", "POOL", "NOW", "BOUND", "BEST", "GAIN", "%", "BY SIZE", "BY CONFLICTS",
               "HILL CLIMB"});
  table.align_right({2, 3, 4, 5, 6, 7, 8, 9});
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

/// Whether of some memory neither the least nor the most is known.
bool may_be_anything(const graph::Topology& network) {
  return std::ranges::any_of(network.memory, [](const graph::MemoryUse& use) {
    return use.exactness == graph::Exactness::unknown;
  });
}

/// The least that tensors and workspaces need together; pools beside them count in it as well.
std::string bound_of_allocations(const ModulePlan& module) {
  return module.pools.empty() ? to_string(module.lower_bound) : "-";
}

/// What networks take that allocate while they run, and what one planned pool would take instead.
Table allocations_table(const ArchivePlan& plan) {
  Table table(
      {"MODULE", "EXECUTOR", "HEAP", "STACK", "BOUND", "ALL IN ONE POOL", "TENSORS IN ONE POOL"});
  table.align_right({1, 2, 3, 4, 5, 6});
  for (const ModulePlan& module : plan.modules) {
    if (!module.allocations) continue;
    const plan::StaticPlan& one = *module.allocations;
    const auto bytes_text = [&](std::uint64_t bytes) {
      if (may_be_anything(*module.network)) return std::string("unknown");
      // A lower bound is shown as one.
      return (one.uncertain.empty() ? "" : ">=") + std::to_string(bytes);
    };
    table.add({module.name, std::to_string(one.executor), bytes_text(one.heap),
               bytes_text(one.stack), bound_of_allocations(module),
               bytes_text(one.with_kernels.size), bytes_text(one.main.size)});
  }
  return table;
}

/// Bytes accessed: "4096", "0-4096", or ">=0" where it is not known how many at most.
std::string count_of(const analysis::Count& count) {
  if (!count.is_known()) return fmt::format(">={}", count.min);
  return count.is_exact() ? std::to_string(count.min) : fmt::format("{}-{}", count.min, *count.max);
}

/// What goes into each memory. The first one's share is compared with what no split exceeds.
Table memories_table(const ArchivePlan& plan) {
  Table table({"MODULE", "MEMORY", "LIMIT", "BYTES", "BUFFERS", "ACCESSED", "AT MOST"});
  table.align_right({2, 3, 4, 5, 6});
  table.hide_if_constant(0);
  for (const ModulePlan& module : plan.modules) {
    if (!module.split) continue;
    const plan::PoolSplit& split = module.split->split;
    for (std::size_t i = 0; i < split.memories.size(); ++i) {
      const plan::SplitMemory& one = split.memories[i];
      table.add({module.name, one.limit.name, std::to_string(one.limit.bytes),
                 std::to_string(one.size), std::to_string(one.buffers), count_of(one.accessed),
                 i == 0 ? std::to_string(split.most_in_first) : std::string("-")});
    }
  }
  return table;
}

Table places_table(const ArchivePlan& plan) {
  Table table({"MODULE", "BUFFER", "BYTES", "ACCESSED", "MEMORY", "OFFSET"});
  table.align_right({2, 3, 5});
  table.hide_if_constant(0);
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

/// The buffers that move: to the places of the best plan, or to those in place if that was chosen.
Table offsets_table(const ArchivePlan& plan, const PlanDetails& details) {
  Table table({"MODULE", "FUNCTION", "BUFFER", "BYTES", "NOW", "BEST"});
  table.align_right({3, 4, 5});
  table.hide_if_constant(0);
  for (const ModulePlan& module : plan.modules) {
    for (const ModulePoolPlan& pool : module.pools) {
      const plan::PoolPlan& one = pool.plan;
      const std::vector<std::uint64_t>& offsets =
          details.in_place && one.in_place ? one.in_place->offsets : one.best.offsets;
      for (std::size_t i = 0; i < one.now.buffers.size(); ++i) {
        const plan::PlannedBuffer& buffer = one.now.buffers[i];
        if (offsets[i] == buffer.offset) continue;
        table.add({module.name, buffer.function, buffer.variable, std::to_string(buffer.bytes),
                   std::to_string(buffer.offset), std::to_string(offsets[i])});
      }
    }
  }
  return table;
}

Table scratch_table(const ArchivePlan& plan) {
  Table table({"MODULE", "CALL", "SCRATCH", "PEAK", "WITHOUT"});
  table.align_right({2, 3, 4});
  table.hide_if_constant(0);
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

/// What other orders of calls would give, or why it is not known; nothing where none gives more.
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

/// Why there is no plan, or no better one.
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
    if (module.unread_pools) {
      text += fmt::format("{}: {}\n", printable(module.name), printable(*module.unread_pools));
    } else if (module.network && module.pools.empty() && !module.allocations) {
      text += fmt::format("{}: it allocates no memory\n", printable(module.name));
    }
  }
  if (std::ranges::any_of(plan.modules,
                          [](const auto& one) { return one.allocations.has_value(); })) {
    text +=
        "BOUND and ALL IN ONE POOL include the workspaces of kernels; TENSORS IN ONE POOL leaves "
        "them on heap and stack\n";
  }
  if (has_gap) text += "* a smaller one may exist: the search ended before it was sure\n";
  return text;
}

/// Why a list that was asked for is not there.
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

/// Each line of `text` as the screen has it.
std::string lines_for(const std::string& text, const Screen& screen) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += folded(with_digits(text.substr(begin, end - begin), screen), screen, 2) + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

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

}  // namespace mlf::program
