// The finalizer of SplitMix64, for numbers that look random and for keys of hash tables.
//
// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014). The
// generator adds kGoldenRatio to its state for each number, and returns the finalizer of the state.
#pragma once

#include <cstdint>

namespace mlf::support {

/// 2^64 divided by the golden ratio.
inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

/// Returns another number for each number; one changed bit changes half of the bits on average. The
/// number for 0 is 0.
constexpr std::uint64_t mixed_bits(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

}  // namespace mlf::support
