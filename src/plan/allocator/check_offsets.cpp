// The proof that offsets are a solution, from the definition alone.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "mlf/plan/problem.h"
#include "support/error.h"
#include "support/numbers.h"
#include "support/sort_by_key.h"

namespace mlf::plan {
namespace {

// Shares no code with the planners, so that a mistake in them is not repeated here.

/// Checks the requirements of one buffer, independent of the others.
void check_place(const Buffer& buffer, std::uint64_t offset) {
  const auto fail = [&](const std::string& why) {
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffer '{}' at {} {}", printable(buffer.id), offset, why));
  };
  if (buffer.alignment == 0 || offset % buffer.alignment != 0) {
    fail(fmt::format("is not aligned to {}", buffer.alignment));
  }
  if (buffer.fixed_offset && *buffer.fixed_offset != offset) {
    fail(fmt::format("is fixed at {}", *buffer.fixed_offset));
  }
  if (offset + buffer.size < offset) fail("ends beyond 2^64");
}

/// The steps [lower, upper), in which a buffer is live at the bytes [from, to).
struct Piece {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t buffer = 0;
};

/// In the order of their beginnings. Empty buffers share nothing at any offset.
std::vector<Piece> pieces_of(const std::vector<Buffer>& buffers,
                             const std::vector<std::uint64_t>& offsets) {
  std::vector<Piece> pieces;
  pieces.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].size == 0) continue;
    std::vector<Interval> gaps = buffers[i].gaps;
    // What is left of the lifetime is before, between and after these.
    gaps.push_back({buffers[i].upper, buffers[i].upper});
    std::ranges::sort(gaps, {}, &Interval::lower);
    std::int64_t from = buffers[i].lower;
    for (const Interval& gap : gaps) {
      const std::int64_t to = std::min(gap.lower, buffers[i].upper);
      if (from < to) pieces.push_back({from, to, offsets[i], offsets[i] + buffers[i].size, i});
      from = std::max(from, gap.upper);
    }
  }
  support::sort_by_number(pieces, &Piece::lower);
  return pieces;
}

/// Checks that pieces that are live at one step share no byte.
class LivePieces {
 public:
  LivePieces(const std::vector<Buffer>& buffers, const std::vector<Piece>& pieces)
      : buffers_(buffers), pieces_(pieces) {}

  void check() {
    std::vector<std::size_t> ends = support::positions(pieces_.size());
    support::sort_by_number(ends, [this](std::size_t i) { return pieces_[i].upper; });
    auto next_end = ends.begin();
    for (const Piece& piece : pieces_) {
      for (; pieces_[*next_end].upper <= piece.lower; ++next_end) {
        live_.erase(pieces_[*next_end].from);
      }
      add(piece);
    }
  }

 private:
  /// Live pieces are disjoint, so an overlap includes a neighbour by offset.
  void add(const Piece& piece) {
    const auto above = live_.lower_bound(piece.from);
    if (above != live_.begin()) {
      const Piece& below = *std::prev(above)->second;
      if (below.to > piece.from) refuse(piece, below);
    }
    if (above != live_.end() && above->first < piece.to) refuse(piece, *above->second);
    live_.emplace_hint(above, piece.from, &piece);
  }

  [[noreturn]] void refuse(const Piece& added, const Piece& other) const {
    const auto key = [this](const Piece& piece) {
      return std::pair(buffers_[piece.buffer].lower, piece.buffer);
    };
    const auto& [a, b] = key(added) < key(other) ? std::tie(added, other) : std::tie(other, added);
    throw support::Error(ErrorKind::check_failed,
                         fmt::format("buffers '{}' [{}, {}) and '{}' [{}, {}) overlap at step {}",
                                     printable(buffers_[a.buffer].id), a.from, a.to,
                                     printable(buffers_[b.buffer].id), b.from, b.to, added.lower));
  }

  const std::vector<Buffer>& buffers_;
  const std::vector<Piece>& pieces_;
  std::map<std::uint64_t, const Piece*> live_{};  // by offset
};

}  // namespace

Result<std::uint64_t> check_offsets(const Problem& problem,
                                    const std::vector<std::uint64_t>& offsets) {
  return support::to_result([&] {
    const auto& buffers = problem.buffers;
    if (offsets.size() != buffers.size()) {
      throw support::Error(ErrorKind::check_failed, fmt::format("{} offsets for {} buffers",
                                                                offsets.size(), buffers.size()));
    }
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      check_place(buffers[i], offsets[i]);
      size = std::max(size, offsets[i] + buffers[i].size);
    }
    LivePieces(buffers, pieces_of(buffers, offsets)).check();
    return size;
  });
}

}  // namespace mlf::plan
