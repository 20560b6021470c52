// Runs work for many archives, several at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "progress.h"

namespace mlf::program {

/// Calls `work(i)` for every i below `count`, in up to `jobs` threads, one of which is the
/// caller's. Returns when all are done.
template <class Work>
void for_each_index(std::size_t count, std::size_t jobs, const Work& work) {
  // Each free thread takes the next one.
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      advance_progress(count);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(jobs, count); ++i) threads.emplace_back(take);
  take();
  // The destructors of the threads wait for them.
}

}  // namespace mlf::program
