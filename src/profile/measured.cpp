// Measurements of a board, as CSV.
#include <fmt/core.h>

#include <algorithm>

#include "mlf/profile.h"
#include "profile/numbers.h"
#include "support/error.h"
#include "support/numbers.h"
#include "support/source_text.h"

namespace mlf {
namespace profile {
namespace {

constexpr std::string_view kHead = "call,cycles";

/// The measurements of each call, in the order of the rows.
class Measurements {
 public:
  Measurements(std::string_view csv, std::size_t calls)
      : source_{.file = {}, .member = {}, .text = csv}, cycles_(calls) {}

  std::vector<std::vector<std::uint64_t>> read() {
    bool has_head = false;
    for (std::size_t at = 0; at < source_.text.size();) {
      const std::size_t end = std::min(source_.text.find('\n', at), source_.text.size());
      std::string_view line = source_.text.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!has_head && !line.empty() && line != kHead) {
        support::fail_at(source_, at, fmt::format("expected '{}'", kHead));
      }
      // A board that prints numbers after each run repeats the head.
      if (line == kHead) {
        has_head = true;
      } else if (!line.empty()) {
        row(line, at);
      }
      at = end + 1;
    }
    check();
    return std::move(cycles_);
  }

 private:
  void row(std::string_view line, std::size_t at) {
    const std::size_t comma = line.find(',');
    const auto call = support::whole_number<std::size_t>(line.substr(0, comma));
    const auto cycles = comma == line.npos
                            ? std::nullopt
                            : support::whole_number<std::int64_t>(line.substr(comma + 1));
    if (!call || !cycles || *cycles < 0) {
      support::fail_at(source_, at, "expected the number of a call and its cycles, as 3,1200");
    }
    if (*call >= cycles_.size()) {
      support::fail_at(
          source_, at,
          fmt::format("there is no call {}: main has {} calls", *call, cycles_.size()));
    }
    cycles_[*call].push_back(static_cast<std::uint64_t>(*cycles));
  }

  void check() const {
    const auto is_empty = [](const auto& measured) { return measured.empty(); };
    if (std::ranges::all_of(cycles_, is_empty) && !cycles_.empty()) {
      throw support::Error(
          ErrorKind::invalid_input,
          "no call is measured: a row has the number of a call and its cycles, as 3,1200");
    }
    const std::size_t runs = cycles_.empty() ? 0 : cycles_.front().size();
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
      if (cycles_[i].size() == runs && runs > 0) continue;
      throw support::Error(ErrorKind::invalid_input,
                           fmt::format("there are {} measurements of call {}, and {} of call 0",
                                       cycles_[i].size(), i, runs));
    }
  }

  const support::SourceText source_;
  std::vector<std::vector<std::uint64_t>> cycles_;
};

}  // namespace
}  // namespace profile

Result<Profile> measured_profile(const Deployment& deployment, const Network& network,
                                 std::string_view csv) {
  return support::to_result([&] {
    Profile result{.module = network.topology.module, .source = ProfileSource::measured};
    // An error of the archive is not one of the measurements.
    auto calls = support::to_result([&] { return profile::described_calls(deployment, network); });
    if (!calls) {
      throw support::Error(in_file(std::move(calls.error()), deployment.archive().path()));
    }
    result.calls = *std::move(calls);
    const auto cycles = profile::Measurements(csv, result.calls.size()).read();
    result.runs = cycles.empty() ? 1 : cycles.front().size();
    std::vector<std::uint64_t> totals(result.runs);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      result.calls[i].numbers.cycles = profile::spread_of(cycles[i]);
      for (std::size_t run = 0; run < totals.size(); ++run) totals[run] += cycles[i][run];
    }
    result.total.cycles = profile::spread_of(std::move(totals));
    profile::require_total_of_calls(result);
    return result;
  });
}

}  // namespace mlf
