#include "json/text.h"
#include "json/writer.h"
#include "mlf/report.h"
#include "support/byte_sink.h"

namespace mlf {
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

void write_cell(json::Writer& out, std::string_view name, const Cell& cell) {
  out.key(name);
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return out.value(*number);
  // Names from archives may be any bytes.
  if (const auto* text = std::get_if<std::string>(&cell))
    return out.string(json::valid_utf8(*text));
  out.null();
}

}  // namespace

std::string csv_line(std::span<const Cell> cells) {
  std::string line;
  for (const Cell& cell : cells) line += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  return line + "\r\n";
}

std::string json_line(std::span<const std::string> names, std::span<const Cell> cells) {
  support::StringSink sink;
  json::Writer out(sink, JsonLayout::compact);
  out.begin_object();
  for (std::size_t i = 0; i < cells.size(); ++i) write_cell(out, names[i], cells[i]);
  out.end_object();
  out.end_line();
  out.flush();
  return sink.take();
}

}  // namespace mlf
