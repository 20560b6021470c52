// mlf_plan_bench [SEED [FAMILY BUFFERS]]: what the allocator takes, in processor time. Problems of
// growing size in families, then MiniMalloc's challenging instances within their capacity, where
// they are beside the checkout. With FAMILY and BUFFERS, writes that problem as CSV for other
// planners.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "large_problems.h"
#include "measure.h"
#include "mlf/plan/problem.h"

namespace mlf::bench {
namespace {

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

void print_row(std::string_view what, const plan::Problem& problem) {
  plan::Solution solution;
  const double seconds = worked([&] { solution = value_or_throw(plan::solve(problem)); });
  value_or_throw(plan::check_offsets(problem, solution.offsets));
  const char* quality = solution.proven ? "smallest" : problem.capacity ? "" : "not proven";
  const double bound = std::max(1.0, static_cast<double>(solution.lower_bound));
  fmt::print("{:<24} {:>8} {:>11.1f} {:>12} {:>12} {:>8.4f} {:>9}  {}\n", what,
             problem.buffers.size(), seconds * 1e3, solution.size, solution.lower_bound,
             static_cast<double>(solution.size) / bound, solution.fits ? "fits" : "too large",
             quality);
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

void bench_families(std::uint32_t seed) {
  for (const std::size_t buffers : {25u, 50u, 100u, 200u, 400u, 800u, 1600u, 3200u}) {
    print_row("network", make_problem(families().front(), buffers, seed));
  }
  for (const Family& family : families()) {
    for (const std::size_t buffers : {1000u, 10'000u, 100'000u, 1'000'000u}) {
      print_row(family.name, make_problem(family, buffers, seed));
    }
  }
}

void write_csv(const plan::Problem& problem) {
  fmt::print("id,lower,upper,size,alignment\n");
  for (const plan::Buffer& buffer : problem.buffers) {
    fmt::print("{},{},{},{},{}\n", buffer.id, buffer.lower, buffer.upper, buffer.size,
               buffer.alignment);
  }
}

void run(std::span<const std::string> arguments) {
  const std::size_t count = arguments.size();
  if (count == 2 || count > 3) {
    throw std::runtime_error("arguments are [SEED [FAMILY BUFFERS]]");
  }
  const auto seed = static_cast<std::uint32_t>(count > 0 ? std::stoul(arguments[0]) : 1);
  if (count < 3) {
    fmt::print("{}\n{:<24} {:>8} {:>11} {:>12} {:>12} {:>8} {:>9}\n", machine(), "", "buffers",
               "CPU ms", "bytes", "at least", "ratio", "capacity");
    bench_families(seed);
    bench_instances(MLF_MINIMALLOC);
    return;
  }
  const auto family = std::ranges::find(families(), arguments[1], &Family::name);
  if (family == families().end()) throw std::runtime_error("no family '" + arguments[1] + "'");
  write_csv(make_problem(*family, std::stoul(arguments[2]), seed));
}

}  // namespace
}  // namespace mlf::bench

int main(int count, char** values) {
  try {
    mlf::bench::run(std::vector<std::string>(values + 1, values + count));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mlf_plan_bench: {}\n", error.what());
    return 1;
  }
}
