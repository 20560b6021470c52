#include "tir/tvmscript/write/script.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::size_t kStep = 4;

}  // namespace

void Script::line(Indent indent, const Pieces& pieces) {
  text_.append(indent * kStep, ' ');
  printer_.print(pieces, text_);
  text_ += '\n';
}

void Script::line(Indent indent, std::string_view text) {
  text_.append(indent * kStep, ' ');
  text_ += text;
  text_ += '\n';
}

}  // namespace mlf::tir::tvmscript
