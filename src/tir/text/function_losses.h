// Losses of the function that is being read, counted before they are logged: most of them repeat
// with every loop or buffer.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "tir/reader.h"

namespace mlf::tir::text {

class FunctionLosses {
 public:
  explicit FunctionLosses(LossLog& log) : log_(log) {}

  /// Losses from here on are those of this function, or of the module where the name is empty.
  void enter(std::string_view function) {
    flush();
    function_ = function;
  }
  std::string_view function() const { return function_; }

  void add(LossCode code, std::string_view detail) {
    Slot& slot = slots_[static_cast<std::size_t>(code)];
    if (slot.times > 0 && slot.detail != detail) flush(code);
    if (slot.times == 0) slot.detail = detail;
    ++slot.times;
  }

  /// Logs what was counted.
  void flush() {
    for (std::size_t i = 0; i < slots_.size(); ++i) flush(static_cast<LossCode>(i));
  }

 private:
  struct Slot {
    std::string detail;
    std::size_t times = 0;
  };
  static constexpr std::size_t kCodes = 0
#define MLF_LOSS(name, code, meaning) +1
#include "mlf/tir/losses.def"
#undef MLF_LOSS
      ;

  void flush(LossCode code) {
    Slot& slot = slots_[static_cast<std::size_t>(code)];
    if (slot.times > 0) log_.add(code, function_, slot.detail, slot.times);
    slot.times = 0;
  }

  LossLog& log_;
  std::string function_;
  std::array<Slot, kCodes> slots_;
};

}  // namespace mlf::tir::text
