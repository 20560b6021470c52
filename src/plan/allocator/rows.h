// Many short lists in one block of memory.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace mlf::plan {

/// Lists of elements, each of which has a place for so many of them. As vectors of vectors they
/// take longer to make and to free than to use.
template <class Element>
class Rows {
 public:
  Rows() = default;
  explicit Rows(std::vector<std::size_t> capacities)
      : begins_(std::move(capacities)), sizes_(begins_.size()) {
    const std::size_t count = std::accumulate(begins_.begin(), begins_.end(), std::size_t{0});
    std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), std::size_t{0});
    elements_.resize(count);
  }

  std::size_t size() const { return begins_.size(); }
  std::span<const Element> operator[](std::size_t row) const {
    return {elements_.data() + begins_[row], sizes_[row]};
  }
  std::span<Element> operator[](std::size_t row) {
    return {elements_.data() + begins_[row], sizes_[row]};
  }

  void add(std::size_t row, const Element& element) {
    elements_[begins_[row] + sizes_[row]++] = element;
  }

 private:
  std::vector<std::size_t> begins_{};  ///< in `elements_`, by row
  std::vector<std::size_t> sizes_{};
  std::vector<Element> elements_{};
};

}  // namespace mlf::plan
