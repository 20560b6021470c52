#include "profile/numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "mlf/report.h"
#include "run/call_pairs.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"

namespace mlf {
namespace profile {
namespace {

analysis::Count divisions_of(const analysis::KernelCost& cost) {
  analysis::Count sum = cost.index_divisions;
  for (const analysis::OperationCount& one : cost.operations) {
    if (one.operation == analysis::Operation::divide_modulo) sum += one.count;
  }
  return sum;
}

[[noreturn]] void refuse_total() {
  throw support::Error(ErrorKind::invalid_input,
                       "the total of all calls is not their sum, or the sum exceeds 63 bits");
}

std::optional<std::uint64_t> sum_of(std::optional<std::uint64_t> a,
                                    std::optional<std::uint64_t> b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!a || !b) return std::nullopt;
  const bool is_too_large = *a > kMost || *b > kMost - *a;
  return is_too_large ? std::nullopt : std::optional(*a + *b);
}

std::optional<ProfileSpread> sum_of(const std::optional<ProfileSpread>& a,
                                    const std::optional<ProfileSpread>& b) {
  const auto min = a && b ? sum_of(a->min, b->min) : std::nullopt;
  if (!min) return std::nullopt;
  return ProfileSpread{
      .min = *min, .median = sum_of(a->median, b->median), .max = sum_of(a->max, b->max)};
}

/// In some run a call took its most, and the others at least their least. The total may be smaller
/// by `rounding`.
void require_spread(const Profile& profile, std::optional<ProfileSpread> ProfileNumbers::*kind,
                    const ProfileNumbers& sum, std::uint64_t rounding) {
  const std::optional<ProfileSpread>& total = profile.total.*kind;
  if (!total) return;
  std::uint64_t widest = 0;
  bool has_max = true;
  for (const ProfiledCall& call : profile.calls) {
    const auto& spread = call.numbers.*kind;
    has_max = has_max && spread && spread->max;
    if (has_max) widest = std::max(widest, *spread->max - std::min(*spread->max, spread->min));
  }
  const bool is_sum = (sum.*kind) && total->min + rounding >= (sum.*kind)->min &&
                      total->max.has_value() == has_max &&
                      (!has_max || *total->max + rounding >= (sum.*kind)->min + widest);
  if (!is_sum) refuse_total();
}

bool writes_float(const graph::Argument& argument) {
  return argument.writes && argument.type.dtype.is_float();
}

}  // namespace

std::vector<ProfiledCall> described_calls(const Deployment& deployment, const Network& network) {
  const graph::Topology& topology = network.topology;
  std::vector<ProfiledCall> calls;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    calls.push_back({.call = i,
                     .kernel = topology.kernel_of(topology.calls[i]).symbol,
                     .mac = analysis::Count::unknown(),
                     .loaded = analysis::Count::unknown(),
                     .divisions = analysis::Count::unknown()});
  }
  const Report report = support::get_or_throw(report_of(deployment, {.searches_findings = false}));
  const ModuleReport& module = report.modules[network.module];
  if (module.calls.size() != calls.size()) return calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallReport& call = module.calls[i];
    const KernelReport& kernel = module.kernels[call.kernel];
    if (kernel.symbol != calls[i].kernel) continue;
    calls[i].layer = call.layer;
    calls[i].mac = call[CallMeasure::mac];
    calls[i].loaded = call[CallMeasure::loaded];
    if (!kernel.cost) continue;
    calls[i].divisions = divisions_of(*kernel.cost);
    const bool has_float_macs = call[CallMeasure::mac].min > 0 &&
                                std::ranges::any_of(topology.calls[i].arguments, writes_float);
    const bool has_others =
        std::ranges::any_of(kernel.cost->operations, [](const analysis::OperationCount& one) {
          return one.dtype.is_float() && one.count.min > 0;
        });
    calls[i].computes_floats = has_float_macs || has_others;
  }
  return calls;
}

ProfileSpread spread_of(std::vector<std::uint64_t> runs) {
  std::ranges::sort(runs);
  return {.min = runs.front(), .median = runs[(runs.size() - 1) / 2], .max = runs.back()};
}

ProfileNumbers sum_of(const ProfileNumbers& a, const ProfileNumbers& b) {
  return {.instructions = sum_of(a.instructions, b.instructions),
          .cycles = sum_of(a.cycles, b.cycles),
          .nanoseconds = sum_of(a.nanoseconds, b.nanoseconds)};
}

void require_total_of_calls(const Profile& profile) {
  if (profile.calls.empty()) return;
  ProfileNumbers sum = profile.calls.front().numbers;
  for (std::size_t i = 1; i < profile.calls.size(); ++i) {
    sum = sum_of(sum, profile.calls[i].numbers);
  }
  if (profile.total.instructions && profile.total.instructions != sum.instructions) {
    refuse_total();
  }
  require_spread(profile, &ProfileNumbers::cycles, sum, 0);
  // A clock makes whole nanoseconds of the cycles of each call and of those of the total.
  const std::uint64_t rounding = profile.clock ? profile.calls.size() : 0;
  require_spread(profile, &ProfileNumbers::nanoseconds, sum, rounding);
}

}  // namespace profile

namespace {

std::vector<std::string_view> symbols_of(const Profile& profile) {
  std::vector<std::string_view> kernels;
  for (const ProfiledCall& call : profile.calls) kernels.emplace_back(call.kernel);
  return kernels;
}

std::vector<ProfileDifference> paired(const Profile& before, const Profile& after) {
  std::vector<bool> taken(before.calls.size());
  std::vector<ProfileDifference> pairs;
  for (const auto& pair : run::paired_calls(symbols_of(after), symbols_of(before))) {
    pairs.push_back({.before = pair, .after = pairs.size()});
    if (pair) taken[*pair] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) pairs.push_back({.before = i});
  }
  return pairs;
}

}  // namespace

ProfiledCall& ProfiledCall::operator+=(const ProfiledCall& other) {
  numbers = profile::sum_of(numbers, other.numbers);
  mac += other.mac;
  loaded += other.loaded;
  divisions += other.divisions;
  return *this;
}

std::vector<ProfiledKernel> kernels_of(const Profile& profile) {
  std::vector<ProfiledKernel> kernels;
  support::NameMap<std::string_view, std::size_t> known;
  for (const ProfiledCall& call : profile.calls) {
    const auto [place, is_new] = known.emplace(call.kernel, kernels.size());
    if (is_new) {
      kernels.push_back({1, call});
      continue;
    }
    ++kernels[place->second].calls;
    kernels[place->second].sum += call;
  }
  return kernels;
}

std::string_view to_string(ProfileSource source) {
  return support::name_in({"emulated", "timed", "measured"}, source);
}

std::uint64_t ProfileNumbers::amount() const {
  if (instructions) return *instructions;
  const std::optional<ProfileSpread>& spread = cycles ? cycles : nanoseconds;
  return spread ? spread->median.value_or(spread->min) : 0;
}

std::string_view Profile::unit() const {
  return support::name_in({"instructions", "nanoseconds", "cycles"}, source);
}

Result<std::vector<ProfileDifference>> compare_profiles(const Profile& before,
                                                        const Profile& after) {
  return support::to_result([&] {
    if (before.unit() != after.unit()) {
      throw support::Error(ErrorKind::usage, fmt::format("{} cannot be compared with {}",
                                                         before.unit(), after.unit()));
    }
    return paired(before, after);
  });
}

}  // namespace mlf
