#include "commands/budget_update.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "archive/output_file.h"
#include "commands/budget_toml.h"
#include "support/error.h"

namespace mlf::program {
namespace {

/// A text, and the offsets of its places, which toml++ states as lines and columns.
class Layout {
 public:
  explicit Layout(std::string_view text) : text_(text) {
    // toml++ does not count a byte order mark as a column.
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    lines_.push_back(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') lines_.push_back(i + 1);
    }
  }

  std::string_view text() const { return text_; }
  std::string newline() const { return text_.find("\r\n") == text_.npos ? "\n" : "\r\n"; }

  /// Columns count code points.
  std::size_t offset(const toml::source_position& place) const {
    std::size_t at = begin_of_line(place);
    for (auto column = place.column; column > 1; --column) {
      ++at;
      while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80) ++at;
    }
    return std::min(at, text_.size());
  }

  std::size_t begin_of_line(const toml::source_position& place) const {
    return lines_[std::min<std::size_t>(place.line, lines_.size()) - 1];
  }

  /// The offset of the line break, or of the end of the text.
  std::size_t end_of_line(const toml::source_position& place) const {
    const std::size_t end = std::min(text_.find('\n', offset(place)), text_.size());
    return end > 0 && text_[end - 1] == '\r' ? end - 1 : end;
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> lines_;
};

/// A name as a TOML key: any text between quotes.
std::string key_of(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string assignment(const Limit& limit) {
  return fmt::format("{} = {}", to_string(limit.resource), limit.most);
}

class Update {
 public:
  Update(std::string_view text, const toml::table& document)
      : layout_(text), common_(document), modules_(document[kModules].as_table()) {}

  void lower(const ModuleLimit& one) {
    if (one.module == kAllModules) {
      const toml::node* line = common_.get(to_string(one.limit.resource));
      return replace(*line, fmt::format("{}", one.limit.most));
    }
    const toml::node* module = modules_ != nullptr ? modules_->get(one.module) : nullptr;
    if (module == nullptr) {
      new_modules_[one.module].push_back(assignment(one.limit));
      return;
    }
    const toml::table& table = *module->as_table();
    const toml::node* value = table.get(to_string(one.limit.resource));
    if (value != nullptr) {
      replace(*value, fmt::format("{}", one.limit.most));
    } else if (table.is_inline()) {
      insert_first(table, assignment(one.limit));
    } else if (modules_->is_inline()) {  // { NAME.ram = 1 }
      insert_first(*modules_, key_of(one.module) + "." + assignment(one.limit));
    } else {
      insert_last(table, assignment(one.limit));
    }
  }

  std::string result() {
    for (const auto& [module, lines] : new_modules_) add_module(key_of(module), lines);
    std::string text(layout_.text());
    // From the end, so the remaining places stay valid.
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) {
      text.replace(edit->first, edit->second.removed, edit->second.text);
    }
    return text;
  }

 private:
  struct Edit {
    std::size_t removed = 0;
    std::string text{};
  };

  /// Texts for the same place follow one another.
  void insert(std::size_t at, const std::string& text) { edits_[at].text += text; }

  void replace(const toml::node& value, std::string text) {
    const std::size_t begin = layout_.offset(value.source().begin);
    edits_[begin] = {layout_.offset(value.source().end) - begin, std::move(text)};
  }

  /// Into a table in braces.
  void insert_first(const toml::table& table, const std::string& text) {
    const std::size_t inside = layout_.offset(table.source().begin) + 1;
    const bool is_alone = table.empty() && !edits_.contains(inside);
    std::string& inserted = edits_[inside].text;
    inserted = " " + text + (is_alone ? " " : ",") + inserted;
  }

  /// After the last line of the table, with its indentation and its part of a dotted key; otherwise
  /// after the header.
  void insert_last(const toml::table& table, const std::string& text) {
    const auto last = std::ranges::max_element(table, {}, [](const auto& entry) {
      const toml::source_position& end = entry.second.source().end;
      return std::pair(end.line, end.column);
    });
    if (last == table.end()) {
      insert(layout_.end_of_line(table.source().end), layout_.newline() + text);
      return;
    }
    const auto& [key, value] = *last;
    const std::size_t begin = layout_.begin_of_line(key.source().begin);
    const std::size_t length = layout_.offset(key.source().begin) - begin;
    const std::string prefix(layout_.text().substr(begin, length));
    insert(layout_.end_of_line(value.source().end), layout_.newline() + prefix + text);
  }

  void add_module(const std::string& key, const std::vector<std::string>& lines) {
    if (modules_ != nullptr && modules_->is_inline()) {
      std::string inside;
      for (const std::string& line : lines) inside += (inside.empty() ? "" : ", ") + line;
      insert_first(*modules_, fmt::format("{} = {{ {} }}", key, inside));
      return;
    }
    const std::string newline = layout_.newline();
    const std::string_view text = layout_.text();
    const std::string gap = text.empty() || text.ends_with('\n') ? "" : newline;
    std::string added = fmt::format("{}[modules.{}]{}", text.empty() ? "" : newline, key, newline);
    for (const std::string& line : lines) added += line + newline;
    insert(text.size(), (edits_.contains(text.size()) ? "" : gap) + added);
  }

  Layout layout_;
  const toml::table& common_;
  const toml::table* modules_;
  std::map<std::size_t, Edit> edits_;  ///< by their place
  std::map<std::string, std::vector<std::string>> new_modules_;
};

/// Whether a file still has all limits that it had, and the new ones.
bool has(const Budget& after, const Budget& before, const std::vector<ModuleLimit>& limits) {
  Budget expected = before;
  for (const auto& [module, limit, old] : limits) {
    std::vector<Limit>& own =
        module == kAllModules ? expected.common.limits : expected.of_modules[module].limits;
    std::erase_if(
        own, [resource = limit.resource](const Limit& one) { return one.resource == resource; });
    own.push_back(limit);
  }
  const auto is_same = [&](std::string_view module) {
    const Demands a = after.demands_on(module);
    const Demands b = expected.demands_on(module);
    return std::ranges::equal(a.limits, b.limits, {}, &Limit::most, &Limit::most) &&
           std::ranges::equal(a.limits, b.limits, {}, &Limit::resource, &Limit::resource) &&
           a.no_findings == b.no_findings;
  };
  return after.common.limits.size() == before.common.limits.size() &&
         after.of_modules.size() == expected.of_modules.size() && is_same(kAllModules) &&
         std::ranges::all_of(expected.of_modules,
                             [&](const auto& entry) { return is_same(entry.first); });
}

std::string updated(const BudgetFile& file, const std::string& path,
                    const std::vector<ModuleLimit>& limits) {
  const toml::table document = parse_toml(file.text, path);
  Update update(file.text, document);
  for (const ModuleLimit& one : limits) update.lower(one);
  std::string result = update.result();
  const auto after = support::to_result([&] { return parse_budget(result, path); });
  if (after && has(*after, file.budget, limits)) return result;
  throw support::Error(ErrorKind::invalid_input,
                       "there is no place for a new limit in this layout, write [modules.NAME]",
                       {.file = path});
}

}  // namespace

void update_budget(const std::string& path, const BudgetFile& file,
                   const std::vector<ModuleLimit>& limits) {
  if (limits.empty()) return;
  write_file(path, updated(file, path, limits));
}

}  // namespace mlf::program
