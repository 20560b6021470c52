#include "row_text.h"

#include <nlohmann/json.hpp>

namespace mlf::program {
namespace {

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return {};
  if (text->find_first_of(",\"\r\n") == text->npos) return *text;
  std::string quoted = "\"";
  for (const char c : *text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

nlohmann::ordered_json json_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

}  // namespace

std::string csv_line(const std::vector<Cell>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return line + "\r\n";
}

std::string json_line(const std::vector<std::string>& names, const std::vector<Cell>& cells) {
  nlohmann::ordered_json object;
  for (std::size_t i = 0; i < cells.size(); ++i) object[names[i]] = json_cell(cells[i]);
  // Names from archives may be any bytes; JSON is UTF-8.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace mlf::program
