#include "model_library/json_dom.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "support/error.h"

namespace mlf::model_library {
namespace {

using Nlohmann = nlohmann::json;

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …": the
// place is reported by ourselves, the rest is the message.
std::string plain_message(std::string_view what) {
  if (const std::size_t tag = what.find("] "); tag != std::string_view::npos) {
    what.remove_prefix(tag + 2);
  }
  if (what.starts_with("parse error")) {
    const std::size_t colon = what.find(": ");
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
  }
  std::string message(what);
  // The caret shows what was read; the parser's copy of it may be long and full of escapes.
  if (const std::size_t read = message.find("; last read: "); read != std::string::npos) {
    message.erase(read, message.find("; expected", read) - read);
  }
  return message;
}

std::string escaped_for_pointer(std::string_view key) {
  std::string result;
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string_view name_of(JsonKind kind) noexcept {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "a boolean";
    case JsonKind::integer:
      return "an integer";
    case JsonKind::real:
      return "a number with a fraction or exponent";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "a value";
}

std::string json_quoted(std::string_view text) {
  return Nlohmann(text).dump(-1, ' ', false, Nlohmann::error_handler_t::replace);
}

// The parser reports values without their places; a cursor of our own walks the same tokens, which
// is simple because the parser has already accepted each of them.
class JsonDocument::Builder final : public Nlohmann::json_sax_t {
 public:
  Builder(JsonDocument& document, const JsonLimits& limits)
      : document_(document), limits_(limits), text_(document.source_.text) {
    if (text_.starts_with("\xEF\xBB\xBF")) cursor_ = 3;
  }

  bool null() override { return literal(JsonKind::null); }
  bool boolean(bool) override { return literal(JsonKind::boolean); }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }

  bool string(string_t& value) override {
    const std::size_t begin = skip_to_token();
    skip_string();
    Node& node = add(JsonKind::string, begin);
    node.string = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::array); }
  bool end_array() override { return close(); }
  bool end_object() override {
    reject_duplicates();
    return close();
  }

  bool key(string_t& value) override {
    skip_to_token();
    skip_string();
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const Nlohmann::exception& error) override {
    support::fail_at(document_.source_, position == 0 ? 0 : position - 1,
                     plain_message(error.what()));
  }

 private:
  struct Open {
    std::uint32_t node;
    std::uint32_t last_child = kNone;
    std::uint32_t size = 0;
  };

  std::size_t skip_to_token() {
    cursor_ = std::min(text_.find_first_not_of(" \t\r\n,:", cursor_), text_.size());
    return cursor_;
  }

  void skip_string() {
    for (++cursor_; text_[cursor_] != '"'; ++cursor_) {
      if (text_[cursor_] == '\\') ++cursor_;
    }
    ++cursor_;
  }

  bool literal(JsonKind kind) {
    const std::size_t begin = skip_to_token();
    cursor_ = std::min(text_.find_first_not_of("truefalsn", begin), text_.size());
    add(kind, begin);
    return true;
  }

  bool number() {
    const std::size_t begin = skip_to_token();
    cursor_ = std::min(text_.find_first_not_of("+-.eE0123456789", begin), text_.size());
    const bool whole =
        text_.substr(begin, cursor_ - begin).find_first_of(".eE") == std::string_view::npos;
    add(whole ? JsonKind::integer : JsonKind::real, begin);
    return true;
  }

  bool open(JsonKind kind) {
    const std::size_t begin = skip_to_token();
    if (open_.size() == limits_.max_nesting) {
      support::fail_at(
          document_.source_, begin,
          fmt::format("nested deeper than {} arrays and objects", limits_.max_nesting));
    }
    ++cursor_;
    add(kind, begin);
    open_.push_back({static_cast<std::uint32_t>(document_.nodes_.size() - 1)});
    return true;
  }

  bool close() {
    skip_to_token();
    document_.nodes_[open_.back().node].end = ++cursor_;
    open_.pop_back();
    return true;
  }

  Node& add(JsonKind kind, std::size_t begin) {
    if (document_.nodes_.size() == kNone) {
      support::fail_at(document_.source_, begin, "more than 4294967295 values");
    }
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    Node node;
    node.kind = kind;
    node.begin = begin;
    node.end = cursor_;
    node.key = std::exchange(key_, {});
    if (!open_.empty()) attach(node, index);
    document_.nodes_.push_back(std::move(node));
    return document_.nodes_.back();
  }

  void attach(Node& node, std::uint32_t index) {
    Open& parent = open_.back();
    node.parent = parent.node;
    node.position = parent.size++;
    std::uint32_t& link = parent.last_child == kNone ? document_.nodes_[parent.node].first_child
                                                     : document_.nodes_[parent.last_child].next;
    link = index;
    parent.last_child = index;
  }

  void reject_duplicates() const {
    std::vector<std::uint32_t> members;
    const std::vector<Node>& nodes = document_.nodes_;
    for (std::uint32_t i = nodes[open_.back().node].first_child; i != kNone; i = nodes[i].next) {
      members.push_back(i);
    }
    std::sort(members.begin(), members.end(), [&nodes](std::uint32_t a, std::uint32_t b) {
      return std::tie(nodes[a].key, a) < std::tie(nodes[b].key, b);
    });
    const auto twin = std::adjacent_find(
        members.begin(), members.end(),
        [&nodes](std::uint32_t a, std::uint32_t b) { return nodes[a].key == nodes[b].key; });
    if (twin == members.end()) return;
    JsonValue(document_, *std::next(twin))
        .fail(fmt::format("duplicate key {}", json_quoted(nodes[*twin].key)));
  }

  JsonDocument& document_;
  const JsonLimits& limits_;
  std::string_view text_;
  std::size_t cursor_ = 0;
  std::string key_;
  std::vector<Open> open_;
};

JsonDocument JsonDocument::parse(support::SourceText source, const JsonLimits& limits) {
  JsonDocument document(std::move(source));
  Builder builder(document, limits);
  const std::string_view text = document.source_.text;
  Nlohmann::sax_parse(text.begin(), text.end(), &builder);
  return document;
}

JsonKind JsonValue::kind() const noexcept {
  return document_->nodes_[index_].kind;
}

std::string_view JsonValue::key() const noexcept {
  return document_->nodes_[index_].key;
}

std::string_view JsonValue::text() const noexcept {
  const JsonDocument::Node& node = document_->nodes_[index_];
  return document_->source_.text.substr(node.begin, node.end - node.begin);
}

std::string_view JsonValue::string() const noexcept {
  return document_->nodes_[index_].string;
}

std::optional<std::int64_t> JsonValue::integer() const noexcept {
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

JsonValue::Children JsonValue::children() const noexcept {
  return {Iterator(*document_, document_->nodes_[index_].first_child),
          Iterator(*document_, JsonDocument::kNone)};
}

std::string JsonValue::pointer() const {
  const std::vector<JsonDocument::Node>& nodes = document_->nodes_;
  std::vector<std::string> steps;
  for (std::uint32_t i = index_; nodes[i].parent != JsonDocument::kNone; i = nodes[i].parent) {
    const bool member = nodes[nodes[i].parent].kind == JsonKind::object;
    steps.push_back(member ? escaped_for_pointer(nodes[i].key) : std::to_string(nodes[i].position));
  }
  std::string result;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) result += '/' + *step;
  return result;
}

void JsonValue::fail(std::string message) const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  // A container is pointed at by its opening bracket only; underlining megabytes helps nobody.
  const bool container = node.kind == JsonKind::array || node.kind == JsonKind::object;
  Location where = document_->source_.locate(node.begin, container ? 1 : node.end - node.begin);
  where.json_pointer = pointer();
  throw support::Error(ErrorKind::invalid_input, std::move(message), std::move(where));
}

}  // namespace mlf::model_library
