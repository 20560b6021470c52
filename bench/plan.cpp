// mlf_plan_bench: what the allocator takes. Problems of growing size as networks have them, then
// MiniMalloc's challenging instances within their capacity, where they are beside the checkout.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "measure.h"
#include "mlf/plan/problem.h"

namespace mlf::bench {
namespace {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

/// A tensor a step that the next steps read, one of eight for long, and scratch in every second
/// one.
plan::Problem network_like(std::size_t buffers) {
  std::mt19937 random(1);
  plan::Problem problem;
  while (problem.buffers.size() < buffers) {
    const auto step = static_cast<std::int64_t>(problem.buffers.size());
    const bool is_scratch = step % 2 == 1;
    const auto life = static_cast<std::int64_t>(is_scratch ? 1 : 2 + random() % 3);
    const bool is_skip = !is_scratch && random() % 8 == 0;
    problem.buffers.push_back({.id = std::to_string(step),
                               .lower = step,
                               .upper = step + (is_skip ? life + 20 : life),
                               .gaps = {},
                               .size = 64 * (1 + random() % 200),
                               .alignment = 16,
                               .fixed_offset = {}});
  }
  return problem;
}

void print_row(std::string_view what, const plan::Problem& problem) {
  plan::Solution solution;
  const double seconds = timed([&] { solution = value_or_throw(plan::solve(problem)); });
  value_or_throw(plan::check_offsets(problem, solution.offsets));
  const char* quality = solution.proven ? "smallest" : problem.capacity ? "" : "not proven";
  fmt::print("{:<24} {:>8} {:>11.1f} {:>10} {:>10} {:>8}  {}\n", what, problem.buffers.size(),
             seconds * 1e3, solution.size, solution.lower_bound,
             solution.fits ? "fits" : "too large", quality);
  std::fflush(stdout);
}

void bench_instances(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory)) return;
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".csv") paths.insert(entry.path());
  }
  for (const auto& path : paths) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    plan::Problem problem = value_or_throw(plan::read_problem_csv(text, path.string())).problem;
    // A.1048576.csv: the capacity is in the name.
    problem.capacity = std::stoull(path.stem().extension().string().substr(1));
    print_row(path.stem().string(), problem);
  }
}

}  // namespace
}  // namespace mlf::bench

int main() {
  try {
    fmt::print("{:<24} {:>8} {:>11} {:>10} {:>10} {:>8}\n", "", "buffers", "ms", "bytes",
               "at least", "capacity");
    for (const std::size_t buffers :
         {25u, 50u, 100u, 200u, 400u, 800u, 1600u, 3200u, 10'000u, 100'000u, 1'000'000u}) {
      mlf::bench::print_row("like a network", mlf::bench::network_like(buffers));
    }
    mlf::bench::bench_instances(MLF_MINIMALLOC);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mlf_plan_bench: {}\n", error.what());
    return 1;
  }
}
