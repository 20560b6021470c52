// `c -keys=arm_cpu,cpu -link-params=0 '-mcpu=a b'`: the command-line form of a target.
//
// Two writers exist. Up to v0.11 a whole argument is quoted and only `\'` is an escape; later
// values are quoted where they are and backslashes are escaped too. An argument that begins with
// a quote is of the first sort.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/numbers.h"
#include "target/readers.h"

namespace mlf::targets {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

enum class Quoting : std::uint8_t { around_argument, inside_argument };

struct Argument {
  std::string raw;  // quotes inside and their escapes still in place
  Quoting quoting = Quoting::inside_argument;
  std::size_t offset = 0;
};

/// Splits at spaces outside of quotes. Which escapes hold is known only when the type of the value
/// is, so quotes inside an argument are left where they are.
class ArgumentReader {
 public:
  explicit ArgumentReader(const support::SourceText& source)
      : source_(source), text_(source.text) {}

  std::vector<Argument> read() {
    std::vector<Argument> arguments;
    for (skip_space(); cursor_ < text_.size(); skip_space()) {
      const std::size_t begin = cursor_;
      const bool whole = text_[cursor_] == '\'';
      arguments.push_back({whole ? quoted() : plain(),
                           whole ? Quoting::around_argument : Quoting::inside_argument, begin});
    }
    return arguments;
  }

 private:
  void skip_space() { cursor_ = std::min(text_.find_first_not_of(kSpace, cursor_), text_.size()); }

  /// A whole argument in quotes.
  std::string quoted() {
    const std::size_t begin = cursor_++;
    std::string raw;
    for (; cursor_ < text_.size(); ++cursor_) {
      if (text_[cursor_] == '\'') {
        ++cursor_;
        return raw;
      }
      if (text_.substr(cursor_).starts_with("\\'")) ++cursor_;
      raw += text_[cursor_];
    }
    fail_at(source_, begin, "quote without end");
  }

  /// An argument without quotes around it; a value in it may have them: `-mcpu='a b'`.
  std::string plain() {
    const std::size_t begin = cursor_;
    std::size_t quote = std::string_view::npos;
    for (; cursor_ < text_.size(); ++cursor_) {
      const char c = text_[cursor_];
      // A quote behind a backslash does not open or close anything.
      if (c == '\\') {
        ++cursor_;
      } else if (c == '\'') {
        quote = quote == std::string_view::npos ? cursor_ : std::string_view::npos;
      } else if (quote == std::string_view::npos && kSpace.find(c) != std::string_view::npos) {
        break;
      }
    }
    if (quote != std::string_view::npos) fail_at(source_, quote, "quote without end");
    // A backslash at the very end has moved it one too far.
    cursor_ = std::min(cursor_, text_.size());
    return std::string(text_.substr(begin, cursor_ - begin));
  }

  const support::SourceText& source_;
  std::string_view text_;
  std::size_t cursor_ = 0;
};

bool escapes_next(std::string_view raw, std::size_t at) {
  return raw[at] == '\\' && at + 1 < raw.size() && (raw[at + 1] == '\'' || raw[at + 1] == '\\');
}

/// Undoes TVM's quoting: quotes go, escaped ones stay without their backslash.
std::string unquote(std::string_view raw) {
  std::string result;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\'') continue;
    if (escapes_next(raw, i)) ++i;
    result += raw[i];
  }
  return result;
}

/// What follows the name of an attribute.
struct RawValue {
  std::string_view raw;
  Quoting quoting = Quoting::inside_argument;

  std::string text() const {
    return quoting == Quoting::around_argument ? std::string(raw) : unquote(raw);
  }
};

/// The elements between the commas outside quotes; empty ones are dropped as TVM drops them.
std::vector<std::string> split_list(std::string_view raw) {
  std::vector<std::string> elements;
  bool in_quotes = false;
  std::size_t begin = 0;
  const auto finish = [&](std::size_t end) {
    std::string element = unquote(raw.substr(begin, end - begin));
    if (!element.empty()) elements.push_back(std::move(element));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (escapes_next(raw, i)) {
      ++i;
    } else if (raw[i] == '\'') {
      in_quotes = !in_quotes;
    } else if (raw[i] == ',' && !in_quotes) {
      finish(i);
    }
  }
  finish(raw.size());
  return elements;
}

/// TVM's own spellings: `str` writes 0 and 1, people write the words.
std::optional<bool> as_boolean(std::string_view text) {
  if (text == "1" || text == "true" || text == "True") return true;
  if (text == "0" || text == "false" || text == "False") return false;
  return std::nullopt;
}

/// An attribute that no kind of TVM's registers: whatever looks like an integer is one.
TargetValue untyped(std::string text) {
  if (const auto number = support::whole_number<std::int64_t>(text)) return {*number};
  return {std::move(text)};
}

/// All registered lists are lists of strings.
TargetValue list_value(std::string_view raw) {
  std::vector<TargetValue> values;
  for (std::string& element : split_list(raw)) values.push_back({std::move(element)});
  return {std::move(values)};
}

/// The arguments behind the kind, each an attribute.
class CommandLineTarget {
 public:
  CommandLineTarget(const support::SourceText& source, std::size_t hosts_around)
      : source_(source), hosts_around_(hosts_around), arguments_(ArgumentReader(source).read()) {}

  Target read() {
    // There is at least one argument: `read_target` refuses a text of spaces.
    target_.kind = unquote(arguments_.front().raw);
    if (target_.kind.starts_with('-')) {
      fail_at(source_, arguments_.front().offset, "expected the kind of the target",
              target_.kind.size());
    }
    for (next_ = 1; next_ < arguments_.size();) read_attr();
    return std::move(target_);
  }

 private:
  void read_attr() {
    const Argument& argument = arguments_[next_++];
    const std::string_view raw = argument.raw;
    const std::size_t begin = raw.find_first_not_of('-');
    // `-name` and `--name` are the same attribute.
    if (begin == 0 || begin == std::string_view::npos) {
      fail(argument, "expected an attribute, which begins with '-'");
    }
    const std::size_t equals = raw.find('=', begin);
    const std::string_view name = raw.substr(begin, equals - begin);
    if (name.empty()) fail(argument, "attribute without a name");
    if (equals != std::string_view::npos) {
      store(argument, std::string(name), {raw.substr(equals + 1), argument.quoting});
    } else if (next_ < arguments_.size() && !arguments_[next_].raw.starts_with('-')) {
      // `-mcpu cortex-m4`: an argument without a dash is the value of the one in front.
      const Argument& value = arguments_[next_++];
      store(argument, std::string(name), {value.raw, value.quoting});
    } else {
      // A flag: `-link-params`.
      store(argument, std::string(name), {"1"});
    }
  }

  /// `keys`, `tag` and `host` are attributes in the text and fields of their own in a `Target`.
  void store(const Argument& argument, std::string name, const RawValue& value) {
    for (const std::string& earlier : names_) {
      // TVM refuses it too.
      if (earlier == name) fail(argument, fmt::format("attribute {} given twice", name));
    }
    names_.push_back(name);
    if (name == "keys") {
      target_.keys = split_list(value.raw);
    } else if (name == "tag") {
      target_.tag = value.text();
    } else if (name == "host") {
      target_.host = read_host(argument, value.text());
    } else {
      TargetValue typed = typed_value(argument, name, value);
      target_.attrs.push_back({std::move(name), std::move(typed)});
    }
  }

  /// Places inside the host's text are not places of this text any more: it was unquoted.
  std::shared_ptr<const Target> read_host(const Argument& argument, const std::string& text) {
    try {
      return std::make_shared<const Target>(
          read_target(text, TargetIntegers::decimal, hosts_around_ + 1));
    } catch (const support::Error& error) {
      fail(argument, fmt::format("malformed host: {}", error.what()));
    }
  }

  /// The type decides how quotes are read, so that it comes before the value.
  TargetValue typed_value(const Argument& argument, std::string_view name, const RawValue& value) {
    switch (attr_type(name)) {
      case AttrType::list:
        return list_value(value.raw);
      case AttrType::string:
        return {value.text()};
      case AttrType::unknown:
        return untyped(value.text());
      case AttrType::boolean:
        break;
    }
    const std::optional<bool> flag = as_boolean(value.text());
    if (!flag) fail(argument, fmt::format("expected 0 or 1 as the value of {}", name));
    return {*flag};
  }

  [[noreturn]] void fail(const Argument& argument, std::string message) const {
    support::fail_at(source_, argument.offset, std::move(message), argument.raw.size());
  }

  const support::SourceText& source_;
  std::size_t hosts_around_;
  std::vector<Argument> arguments_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
  Target target_;
};

}  // namespace

Target read_command_line_target(const support::SourceText& source, std::size_t hosts_around) {
  return CommandLineTarget(source, hosts_around).read();
}

}  // namespace mlf::targets
