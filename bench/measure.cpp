#include "measure.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace mlf::bench {
namespace {

constexpr double kLeastSeconds = 0.5;
constexpr std::size_t kLeastRuns = 5;

double median_of_runs(const Work& work) {
  work();
  std::vector<double> runs;
  double total = 0;
  while (runs.size() < kLeastRuns || total < kLeastSeconds) {
    runs.push_back(work());
    total += runs.back();
  }
  std::nth_element(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2),
                   runs.end());
  return runs[runs.size() / 2];
}

[[noreturn]] void report_and_exit(const Work& work, int pipe_end) {
  int exit = 1;
  try {
    const double seconds = median_of_runs(work);
    if (write(pipe_end, &seconds, sizeof seconds) == sizeof seconds) exit = 0;
  } catch (const std::exception&) {
    exit = 1;
  }
  _exit(exit);
}

}  // namespace

Measurement measure(const Work& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) report_and_exit(work, ends[1]);
  close(ends[1]);
  Measurement result;
  const bool answered =
      read(ends[0], &result.seconds, sizeof result.seconds) == sizeof result.seconds;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.peak_kib = usage.ru_maxrss;
  result.succeeded = answered && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return result;
}

double worked(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  work();
  return now() - begin;
}

double timed(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string machine() {
  constexpr std::string_view kName = "model name";
  std::ifstream info("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with(kName) || colon == std::string::npos) continue;
    model = line.substr(colon + 2);
    break;
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

}  // namespace mlf::bench
