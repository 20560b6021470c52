// Time and peak memory of one piece of work, in a process of its own, and the machine.
#pragma once

#include <functional>
#include <string>

namespace mlf::bench {

/// Does the work once and returns how many seconds of it count.
using Work = std::function<double()>;

struct Measurement {
  double seconds = 0;     ///< median of all runs
  long peak_kib = 0;      ///< largest resident set
  bool succeeded = true;  ///< false where the work threw or the process died
};

/// Runs `work` once to warm up, then until half a second has passed, at least five times.
Measurement measure(const Work& work);

/// The seconds that `work` takes by the clock: for what waits for the disk.
double timed(const std::function<void()>& work);

/// The seconds of processor time that `work` takes: on a busy machine the same, nearly.
double worked(const std::function<void()>& work);

/// The processor as Linux names it, and how many of them there are.
std::string machine();

}  // namespace mlf::bench
