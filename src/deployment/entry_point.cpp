#include "deployment/entry_point.h"

#include <fmt/core.h>

#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "tir/c/read/interface_header.h"

namespace mlf {
namespace deployment {
namespace {

/// The header declares the function and the structs that it takes.
std::optional<EntryPoint> in_headers(const archive::Archive& archive, const Module& module,
                                     const std::string& symbol) {
  for (const FileRef& header : module.files.headers) {
    tir::c::HeaderFields fields = tir::c::read_header(member_text(archive, header));
    if (fields.run != symbol) continue;
    return EntryPoint{symbol, CInterface::c, header.name, std::move(fields.inputs),
                      std::move(fields.outputs)};
  }
  return std::nullopt;
}

/// TVM's form: the definition begins a line. The parameters of a packed function are an array of
/// TVMValue, in TVM v0.8 `void*`, and their type codes.
std::optional<EntryPoint> in_sources(const archive::Archive& archive, const Module& module,
                                     const std::string& symbol) {
  const std::string head = fmt::format("\nint32_t {}(", symbol);
  for (const FileRef& source : module.files.sources) {
    const std::string_view text = member_text(archive, source);
    const std::size_t at = text.find(head);
    if (at == text.npos) continue;
    const std::string_view parameters = text.substr(at, text.find(')', at) - at);
    const bool is_packed = parameters.find("TVMValue*") != parameters.npos ||
                           parameters.find(" type_code") != parameters.npos;
    return EntryPoint{symbol, is_packed ? CInterface::packed : CInterface::c, source.name, {}, {}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<EntryPoint> entry_point_of(const archive::Archive& archive, const Module& module) {
  const std::string symbol = fmt::format("tvmgen_{}_run", symbol_part(module.name));
  auto declared = in_headers(archive, module, symbol);
  return declared ? declared : in_sources(archive, module, symbol);
}

}  // namespace deployment

std::string_view to_string(CInterface interface) {
  return interface == CInterface::c ? "c" : "packed";
}

}  // namespace mlf
