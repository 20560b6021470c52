// Lines of a script.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mlf/tir/write.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

/// How deep a line is indented, in steps.
using Indent = std::uint32_t;

class Script {
 public:
  explicit Script(Printer& printer) : printer_(printer) {}

  void line(Indent indent, const Pieces& pieces);
  void line(Indent indent, std::string_view text);
  void empty_line() { text_ += '\n'; }
  const std::string& text() const { return text_; }
  /// Where the next line begins; `rewind` takes back what was printed since.
  std::size_t mark() const { return text_.size(); }
  void rewind(std::size_t mark) { text_.resize(mark); }

 private:
  Printer& printer_;
  std::string text_;
};

}  // namespace mlf::tir::tvmscript
