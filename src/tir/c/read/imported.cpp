#include "tir/c/read/file_items.h"

#include <algorithm>
#include <array>
#include <string>

#include "tir/c/read/tokens.h"

namespace mlf::tir::c {
namespace {

// Lines that TVM prints around an item; each belongs to the item next to it.
constexpr std::array<std::string_view, 2> kBeforeItem = {
    "#ifdef __cplusplus\nextern \"C\"\n#endif\n", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"};
constexpr std::string_view kBehindConstant = "#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n";

// CodeGenCHost::Init.
constexpr std::array<std::string_view, 6> kHeadLines = {"// tvm target:",
                                                        "#define TVM_EXPORTS",
                                                        "#include \"tvm/runtime/c_runtime_api.h\"",
                                                        "#include \"tvm/runtime/c_backend_api.h\"",
                                                        "#include <math.h>",
                                                        "#include <stdbool.h>"};

std::string_view without_blank_ends(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

/// Whether one of its lines is a preprocessor line.
bool has_directive(std::string_view text) {
  return text.starts_with('#') || text.find("\n#") != text.npos;
}

/// The lines that do not belong to TVM's beginning of a file. Another code generator may print
/// includes before it.
std::string without_head_lines(std::string_view text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    const auto begins_it = [&](std::string_view known) { return line.starts_with(known); };
    if (std::ranges::none_of(kHeadLines, begins_it)) rest += line;
    at = end;
  }
  return rest;
}

/// Whether it is the array of a pool: its parameters are called `<pool>_<k>_var`.
bool is_pool(std::string_view text, std::string_view name) {
  const std::string prefix = std::string(name) + "_";
  for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
    const std::string_view rest = text.substr(at + prefix.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && rest.substr(digits).starts_with("_var")) return true;
  }
  return false;
}

class Collector {
 public:
  Collector(const support::SourceText& source, const FileItems& file)
      : text_(source.text), file_(file) {}

  std::vector<ImportedC> collect() && {
    std::uint32_t at = 0;
    bool was_foreign = false;
    for (const Item& item : file_.items) {
      const bool is_imported = is_foreign(item);
      if (item.head.begin > at) between(at, item.head.begin, was_foreign, is_imported);
      at = std::max(at, item.end);
      was_foreign = is_imported;
      if (!is_imported) continue;
      pending_ += slice(item.head.begin, item.end);
      const bool is_function = item.body.end > item.body.begin && !item.name.empty();
      if (is_function) flush(item.name, signature(item.head));
    }
    between(at, static_cast<std::uint32_t>(text_.size()), was_foreign, false);
    if (!without_blank_ends(pending_).empty()) flush({}, {});
    return std::move(imported_);
  }

 private:
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }

  bool is_foreign(const Item& item) const {
    const std::string_view head = slice(item.head.begin, item.head.end);
    switch (item.kind) {
      case ItemKind::function:
      case ItemKind::array:
      case ItemKind::pool:
        return false;
      case ItemKind::prototype:
        return !head.starts_with("TVM_DLL ");
      case ItemKind::workspace:
        return head.find("section(") == head.npos && !is_pool(text_, item.name);
      case ItemKind::other:
        // Slots of packed functions and the module's context.
        return !head.starts_with("static void* ") && !head.starts_with("void* __tvm_module_ctx");
    }
    return true;
  }

  /// The text between two items, without the lines that TVM prints around its own items.
  void between(std::uint32_t begin, std::uint32_t end, bool was_foreign, bool is_imported) {
    const std::string of_head = begin == 0 ? without_head_lines(slice(begin, end)) : std::string();
    std::string_view text = begin == 0 ? std::string_view(of_head) : slice(begin, end);
    if (!was_foreign) {
      const std::string_view rest =
          text.substr(std::min(text.find_first_not_of('\n'), text.size()));
      if (rest.starts_with(kBehindConstant)) text = rest.substr(kBehindConstant.size());
    }
    if (!is_imported) {
      for (const std::string_view guard : kBeforeItem) {
        if (text.ends_with(guard)) text.remove_suffix(guard.size());
      }
    }
    // A comment next to TVM's own text is not imported.
    if (was_foreign || is_imported || has_directive(text)) pending_ += text;
  }

  /// In one line and without comments.
  std::string signature(Bytes head) const {
    std::string line;
    for (std::uint32_t at = head.begin; at < head.end;) {
      const std::uint32_t next = skip_blank(text_, at, head.end);
      if (next > at) {
        if (!line.empty()) line += ' ';
        at = next;
      } else {
        line += text_[at++];
      }
    }
    return std::string(without_blank_ends(line));
  }

  void flush(std::string_view name, std::string signature) {
    // Reduces empty lines before a piece to one, and lets it end in one line end.
    imported_.push_back({std::string(name), std::move(signature),
                         std::string(without_blank_ends(pending_)) + "\n"});
    pending_.clear();
  }

  std::string_view text_;
  const FileItems& file_;
  std::vector<ImportedC> imported_;
  std::string pending_;  ///< text that no function owns yet
};

}  // namespace

std::vector<ImportedC> imported_c(const support::SourceText& source, const FileItems& file) {
  return Collector(source, file).collect();
}

}  // namespace mlf::tir::c
