#include "deployment/c_header.h"

namespace mlf::deployment {
namespace {

constexpr std::string_view kStruct = "struct tvmgen_";
constexpr std::string_view kField = "  void* ";

/// Takes the next line off `text`, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string>* opened_list(std::string_view line, HeaderFields& fields) {
  if (!line.starts_with(kStruct)) return nullptr;
  if (line.ends_with("_inputs {")) return &fields.inputs;
  return line.ends_with("_outputs {") ? &fields.outputs : nullptr;
}

}  // namespace

HeaderFields read_header(std::string_view text) {
  HeaderFields fields;
  std::vector<std::string>* open = nullptr;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (open == nullptr) {
      open = opened_list(line, fields);
    } else if (line.starts_with(kField) && line.ends_with(';')) {
      open->emplace_back(line.substr(kField.size(), line.size() - kField.size() - 1));
    } else {
      open = nullptr;
    }
  }
  return fields;
}

}  // namespace mlf::deployment
