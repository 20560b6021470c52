#include "tir/c/write/code.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "tir/c/language.h"

namespace mlf::tir::c {

void cannot_print(std::string_view what) {
  throw support::Error(ErrorKind::invalid_input, fmt::format("{} cannot be printed as C", what));
}

std::string type_text(DType dtype) {
  if (dtype.is_handle()) return "void*";
  const std::string_view spelling = spelling_of(dtype);
  if (spelling.empty()) cannot_print("the type " + to_string(dtype));
  return std::string(spelling);
}

DType pointee_of_var(Node var) {
  return pointee_of(var[f::Var::type_annotation]).value_or(DType::Void());
}

std::string type_text(Node var) {
  const DType pointee = pointee_of_var(var);
  return pointee.is_void() ? type_text(var.dtype()) : type_text(pointee) + "*";
}

/// A TVMValue holds an int64, a double or a pointer.
DType api_type(DType dtype) {
  if (dtype.is_handle()) return dtype;
  return dtype.is_int() || dtype.is_uint() ? DType::Int(64) : DType::Float(64);
}

std::string integer_text(DType dtype, std::int64_t value) {
  // C's own type of a number.
  if (dtype == DType::Int(32)) return std::to_string(value);
  return fmt::format("({}){}", type_text(dtype), value);
}

/// Seven digits are not exact: compiled code uses the rounded value.
std::string float_text(DType dtype, double value) {
  const std::string digits = fmt::format("{:.6e}", value);
  if (dtype == DType::Float(64)) return digits;
  if (dtype == DType::Float(32)) return digits + "f";
  if (dtype == DType::Float(16)) return fmt::format("({}){}f", type_text(dtype), digits);
  cannot_print("a constant of type " + to_string(dtype));
}

std::string_view operator_of(Node call) {
  if (!call.is(Kind::Call)) return {};
  const Node op = call[f::Call::op];
  return op.is(Kind::Op) ? op.text(f::Op::name) : std::string_view();
}

namespace {

/// If the range has versions before and since v0.16, the reader takes a `?:` as the older ones
/// print it.
std::uint8_t minor_of(const VersionRange& range) {
  if (ternary_of(range) == Ternary::select) return range.last;
  return std::min<std::uint8_t>(range.last, first_with(TvmFeature::c_condval) - 1);
}

/// Whether the first parenthesis closes at the last character.
bool is_in_parentheses(std::string_view text) {
  if (text.empty() || text.front() != '(' || text.back() != ')') return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0) return i + 1 == text.size();
  }
  return false;
}

}  // namespace

Forms::Forms(const VersionRange& version)
    : minor_(minor_of(version)),
      is_between_11_and_12_(version.exact.starts_with(kBetween11And12)),
      is_between_15_and_16_(version.exact.starts_with(kBetween15And16)) {}

bool Forms::has(TvmFeature feature) const {
  const bool came_with_12 = feature == TvmFeature::c_cmsis_status_switch;
  const bool came_with_16 =
      feature == TvmFeature::c_asks_for_null || feature == TvmFeature::c_data_last;
  const bool came_later =
      (is_between_11_and_12_ && came_with_12) || (is_between_15_and_16_ && came_with_16);
  return tir::has(minor_, feature) && !came_later;
}

// --- Names -------------------------------------------------------------------------------------

NameSupply::NameSupply(const Forms& forms)
    : separator_(forms.has(TvmFeature::c_numbers_follow_names) ? "" : "_") {
  for (const std::string_view word : reserved_words()) counters_.emplace(word, 0);
}

/// Continues from the last number that this name got, like TVM's NameSupply (GetUniqueName up to
/// v0.9).
std::string NameSupply::fresh(std::string_view hint) {
  std::string name(hint);
  std::ranges::replace(name, '.', '_');
  std::string unique = name;
  if (const auto taken = counters_.find(name); taken != counters_.end()) {
    int& counter = taken->second;
    do {
      unique = name;
      unique += separator_;
      unique += std::to_string(++counter);
    } while (counters_.contains(unique));
  }
  counters_.emplace(unique, 0);
  // Replaces characters that are not legal in C when the name is final.
  std::ranges::replace_if(
      unique, [](char c) { return c == ':' || c == '-'; }, '_');
  return unique;
}

// --- Lines, blocks, temporaries ----------------------------------------------------------------

/// TVM's SSAGetID: the same text is the same temporary while its scope is open; a text in
/// parentheses loses one pair.
std::string Code::temporary(const std::string& source, std::string_view type) {
  // A variable needs no other name.
  if (names_.contains(source)) return source;
  const auto known = temporaries_.find(source);
  if (known != temporaries_.end() && is_open_[known->second.scope]) return known->second.name;
  std::string name = names_.fresh(stem_);
  // The scope that began last, not the innermost one: after the end of a block, temporaries made
  // later are not reused.
  temporaries_.insert_or_assign(source, ScopedName{name, is_open_.size() - 1});
  const std::string_view value = is_in_parentheses(source)
                                     ? std::string_view(source).substr(1, source.size() - 2)
                                     : std::string_view(source);
  line("{} {} = {};", type, name, value);
  return name;
}

}  // namespace mlf::tir::c
