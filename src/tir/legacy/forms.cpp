#include "tir/legacy/forms.h"

#include <algorithm>
#include <iterator>

#include "tir/tvm_features.h"

namespace mlf::tir::legacy {
namespace {

/// A row with its reader: which place it is for follows from the type of the reader.
Form form_by(const text::PrintedForm& row, decltype(Form::read) reader) {
  return {row, reader, nullptr, nullptr, nullptr, nullptr};
}
Form form_by(const text::PrintedForm& row, decltype(Form::define) reader) {
  return {row, nullptr, reader, nullptr, nullptr, nullptr};
}
Form form_by(const text::PrintedForm& row, decltype(Form::open) reader) {
  return {row, nullptr, nullptr, reader, nullptr, nullptr};
}
// An unclosed statement and a line have readers of one type.
Form form_by(const text::PrintedForm& row, decltype(Form::start) reader) {
  const bool is_line = row.place == text::PrintedForm::Place::line;
  return {row, nullptr, nullptr, nullptr, is_line ? nullptr : reader, is_line ? reader : nullptr};
}

}  // namespace

/// Made once: the rows are in tables by place, so that a word costs one look-up.
const text::PrintedForms<Form>& forms() {
  static const Form kRows[] = {
#define MLF_IN_legacy(...) __VA_ARGS__
#define MLF_IN_repr(...)
#include "tir/text/printed_form_rows.def"
  };
  static const text::PrintedForms<Form> kForms{kRows};
  return kForms;
}

}  // namespace mlf::tir::legacy
