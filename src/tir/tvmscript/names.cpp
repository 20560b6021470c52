#include "tir/tvmscript/names.h"

#include <algorithm>

namespace mlf::tir::tvmscript {
namespace {

/// The next word of `text`, which loses it.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t#"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

bool read_import(std::string_view comment, Prefixes& prefixes) {
  for (const std::string_view expected : {"from", "tvm.script", "import"}) {
    if (take_word(comment) != expected) return true;
  }
  const std::string_view module = take_word(comment);
  const std::string_view prefix = take_word(comment) == "as" ? take_word(comment) : module;
  if (module == "ir") prefixes.ir = prefix;
  if (module == "tir") prefixes.tir = prefix;
  if (module == "relax") prefixes.relax = prefix;
  return module != "tirx";
}

std::string_view after_prefix(std::string_view path, std::string_view prefix) {
  const bool matches =
      path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] == '.';
  return matches ? path.substr(prefix.size() + 1) : std::string_view();
}

/// The printer says `T` here whatever the prefix is.
bool is_root_block(std::string_view comment) {
  if (take_word(comment) != "with") return false;
  const std::string_view path = take_word(comment);
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view call = path.substr(dot + 1);
  return call.starts_with("block(\"root\")") || call.starts_with("block('root')");
}

}  // namespace mlf::tir::tvmscript
