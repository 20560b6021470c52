#include "tir/repr/forms.h"

#include <algorithm>
#include <iterator>

#include "tir/tvm_features.h"

namespace mlf::tir::repr {
namespace {

/// A row with its reader: which place it is for follows from the type of the reader.
Form form_by(const text::PrintedForm& row, decltype(Form::read) reader) {
  return {row, reader, nullptr, nullptr};
}
Form form_by(const text::PrintedForm& row, decltype(Form::define) reader) {
  return {row, nullptr, reader, nullptr};
}
Form form_by(const text::PrintedForm& row, decltype(Form::start) reader) {
  return {row, nullptr, nullptr, reader};
}

}  // namespace

/// Made once: the rows are in tables by place, so that a word costs one look-up.
const text::PrintedForms<Form>& forms() {
  static const Form kRows[] = {
#define MLF_IN_legacy(...)
#define MLF_IN_repr(...) __VA_ARGS__
#include "tir/text/printed_form_rows.def"
  };
  static const text::PrintedForms<Form> kForms{kRows};
  return kForms;
}

}  // namespace mlf::tir::repr
