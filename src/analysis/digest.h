// A number for a sequence of numbers and texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlf::analysis {

/// Order counts, and so does every bit: the finaliser of MurmurHash3 after each step.
class Digest {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15;
    state_ = (state_ ^ (state_ >> 33)) * 0xff51afd7ed558ccd;
    state_ ^= state_ >> 29;
  }
  void add(std::string_view bytes) {
    add(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      const std::string_view part = bytes.substr(at, 8);
      for (std::size_t i = 0; i < part.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(part[i])} << (8 * i);
      }
      add(word);
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3;
};

}  // namespace mlf::analysis
