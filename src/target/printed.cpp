// `Target(kind='c', keys={'cpu'}, attrs={'link-params': (bool)0}, host=Target(…))`: how printed TIR
// shows a target.
#include <fmt/core.h>

#include <charconv>

#include "support/characters.h"
#include "target/readers.h"

namespace mlf::targets {
namespace {

// Bounds the recursion of `read_value`. TVM's targets have lists of lists at most.
constexpr std::size_t kMaxLists = 16;

/// One pass over the text. Hosts are nested in it, so that they are read by the same object.
class PrintedTarget {
 public:
  PrintedTarget(const support::SourceText& source, TargetIntegers integers)
      : source_(source), text_(source.text), integers_(integers) {}

  Target read() {
    skip_space();
    Target target = read_target(0);
    skip_space();
    if (cursor_ != text_.size()) fail("unexpected text behind the target");
    return target;
  }

 private:
  Target read_target(std::size_t hosts_around) {
    if (hosts_around > kMaxHosts) fail(kTooManyHosts);
    const std::size_t begin = cursor_;
    Target target;
    expect("Target(");
    do {
      read_field(target, hosts_around);
    } while (accept(","));
    expect(")");
    if (target.kind.empty()) support::fail_at(source_, begin, "target without a kind");
    target.text = text_.substr(begin, cursor_ - begin);
    target.device_type = infer_device_type(target);
    return target;
  }

  void read_field(Target& target, std::size_t hosts_around) {
    skip_space();
    const std::size_t begin = cursor_;
    // Fields come in any number and order: versions have added to them.
    const std::string_view name = take_while([](char c) { return c != '=' && c != ')'; });
    expect("=");
    if (name == "kind") {
      target.kind = quoted();
    } else if (name == "tag") {
      target.tag = quoted();
    } else if (name == "keys") {
      sequence("{", "}", [&] { target.keys.push_back(quoted()); });
    } else if (name == "attrs") {
      sequence("{", "}", [&] { target.attrs.push_back(read_attr()); });
    } else if (name == "host") {
      target.host = std::make_shared<const Target>(read_target(hosts_around + 1));
    } else if (name == "id") {
      // An address; it differs from run to run and means nothing.
      take_while([](char c) { return c != ',' && c != ')'; });
    } else {
      support::fail_at(source_, begin, fmt::format("unknown field {} of a target", name),
                       name.size());
    }
  }

  TargetAttr read_attr() {
    std::string name = attr_name();
    expect(":");
    skip_space();
    return {std::move(name), read_value(0)};
  }

  /// Here the text says the type, unlike on a command line: quotes, brackets and casts.
  TargetValue read_value(std::size_t lists_around) {
    if (peek() == '"' || peek() == '\'') return {quoted()};
    if (peek() == '[') {
      if (lists_around == kMaxLists) fail(fmt::format("more than {} lists", kMaxLists));
      std::vector<TargetValue> values;
      sequence("[", "]", [&] { values.push_back(read_value(lists_around + 1)); });
      return {std::move(values)};
    }
    if (accept("(bool)")) return {integer() != 0};
    if (peek() == '(') {
      // (int64)5: the width is of no interest here.
      take_while([](char c) { return c != ')'; });
      expect(")");
      return {integer()};
    }
    if (peek() == '-' || support::is_digit(peek())) return {integer()};
    // A list of TVM's command lines (`devices` of a composite target) is not quoted.
    return {std::string(take_until_end_of_element())};
  }

  /// In TVM v0.10 and v0.11 `id=` leaves the stream in hexadecimal; the text does not say so, and
  /// the caller does.
  std::int64_t integer() {
    const int base = integers_ == TargetIntegers::hexadecimal ? 16 : 10;
    std::int64_t value = 0;
    const char* const begin = text_.data() + cursor_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, base);
    if (error != std::errc()) fail("expected a 64-bit integer");
    cursor_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string quoted() {
    const char quote = peek();
    return text_until([quote](std::string_view rest) { return rest.front() == quote; });
  }

  /// v0.8 opens the name of an attribute with a double quote and closes it with a single one.
  std::string attr_name() {
    const char quote = peek();
    return text_until([quote](std::string_view rest) {
      return rest.front() == quote || rest.starts_with("': ");
    });
  }

  /// Behind an opening quote, up to the first character where `closes` holds.
  template <class Closes>
  std::string text_until(Closes closes) {
    const std::size_t begin = cursor_;
    if (peek() != '\'' && peek() != '"') fail("expected a quoted string");
    std::string result;
    for (++cursor_; cursor_ < text_.size(); ++cursor_) {
      if (closes(text_.substr(cursor_))) {
        ++cursor_;
        return result;
      }
      if (peek() == '\\' && cursor_ + 1 < text_.size()) ++cursor_;
      result += text_[cursor_];
    }
    support::fail_at(source_, begin, "quote without end");
  }

  template <class ReadElement>
  void sequence(std::string_view open, std::string_view close, ReadElement read_element) {
    expect(open);
    if (accept(close)) return;
    do {
      skip_space();
      read_element();
    } while (accept(","));
    expect(close);
  }

  /// A comma without a space behind it belongs to the element: `-mcpu=a,b`.
  std::string_view take_until_end_of_element() {
    const std::size_t begin = cursor_;
    while (cursor_ < text_.size() && text_[cursor_] != ']' && text_[cursor_] != '}' &&
           !text_.substr(cursor_).starts_with(", ")) {
      ++cursor_;
    }
    if (cursor_ == begin) fail("expected a value");
    return text_.substr(begin, cursor_ - begin);
  }

  template <class Wanted>
  std::string_view take_while(Wanted wanted) {
    const std::size_t begin = cursor_;
    while (cursor_ < text_.size() && wanted(text_[cursor_])) ++cursor_;
    return text_.substr(begin, cursor_ - begin);
  }

  char peek() const { return cursor_ < text_.size() ? text_[cursor_] : '\0'; }

  void skip_space() {
    take_while([](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  }

  bool accept(std::string_view token) {
    if (!text_.substr(cursor_).starts_with(token)) return false;
    cursor_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }

  [[noreturn]] void fail(std::string message) const {
    support::fail_at(source_, cursor_, std::move(message));
  }

  const support::SourceText& source_;
  std::string_view text_;
  TargetIntegers integers_;
  std::size_t cursor_ = 0;
};

}  // namespace

Target read_printed_target(const support::SourceText& source, TargetIntegers integers) {
  return PrintedTarget(source, integers).read();
}

}  // namespace mlf::targets
