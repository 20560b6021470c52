// A set of states that are known to lead nowhere.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "plan/allocator/skyline.h"

namespace mlf::plan {

/// A table with one place for each key, where the last one stays: a search forgets some states
/// rather than take more memory. Compares states by their keys of 128 bits. Two states of one
/// search with equal keys are less likely than a memory error of the machine.
class StateSet {
 public:
  bool contains(const StateKey& key) const { return places_[place_of(key)] == key; }

  void insert(const StateKey& key) {
    constexpr std::size_t kMostPlaces = std::size_t{1} << 18;
    if (inserted_ == places_.size() && places_.size() < kMostPlaces) grow();
    ++inserted_;
    places_[place_of(key)] = key;
  }

 private:
  std::size_t place_of(const StateKey& key) const { return key.first % places_.size(); }

  void grow() {
    const std::vector<StateKey> before = std::exchange(places_, {});
    places_.resize(4 * before.size());
    for (const StateKey& key : before) places_[place_of(key)] = key;
  }

  std::vector<StateKey> places_ = std::vector<StateKey>(256);  // an empty place is {0, 0}
  std::size_t inserted_ = 0;
};

}  // namespace mlf::plan
