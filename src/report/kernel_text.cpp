#include "report/kernel_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "deployment/member_text.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/c/c.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;

constexpr std::string_view kConstantInfo = "struct TVMConstantInfo ";
constexpr std::string_view kOffsetComment = "UL /* byte_offset*/, ";

/// The bytes of the string whose length follows the offset of an entry, if it is a number.
Count string_after(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  text.remove_prefix(at);
  const auto length = support::take_number<std::uint64_t>(text);
  // C ends the string with an additional zero.
  return length ? Count(*length) + 1 : Count::unknown();
}

Count copies_in(std::string_view text) {
  Count bytes;
  std::size_t at = text.find(kConstantInfo);
  if (at == text.npos || text.substr(at, text.find('{', at) - at).find("[0]") != text.npos) {
    return bytes;
  }
  if (text.find(kOffsetComment, at) == text.npos) return Count::unknown();
  while (at != text.npos) {
    at = text.find(kOffsetComment, at);
    if (at == text.npos) break;
    at += kOffsetComment.size();
    bytes += string_after(text, at);
  }
  return bytes;
}

/// The number that TVM gave a file: 1 of "default_lib1.c".
std::optional<std::size_t> number_of(std::string_view name) {
  const std::size_t at = name.rfind("lib");
  if (at == name.npos) return std::nullopt;
  name.remove_prefix(at + 3);
  return support::take_number<std::size_t>(name);
}

/// Whether a file of generated C or an object is missing: TVM numbers them from 0 on.
bool misses_files(const Module& module) {
  std::set<std::size_t> numbers;
  for (const auto* files : {&module.files.sources, &module.files.objects}) {
    for (const FileRef& file : *files) {
      if (const auto number = number_of(file.name)) numbers.insert(*number);
    }
  }
  return !numbers.empty() && *numbers.rbegin() >= numbers.size();
}

using tir::Kind;
using tir::Node;
namespace f = tir::f;

std::optional<std::uint64_t> allocated_bytes(Node node) {
  switch (node.kind()) {
    case Kind::Allocate:
      return graph::bytes_of(node.dtype(f::Allocate::dtype), node.list(f::Allocate::extents));
    case Kind::AllocateConst:
      return graph::bytes_of(node.dtype(f::AllocateConst::dtype),
                             node.list(f::AllocateConst::extents));
    case Kind::Buffer:
      return graph::bytes_of(node.dtype(f::Buffer::dtype), node.list(f::Buffer::shape));
    default:
      return std::nullopt;
  }
}

/// TVMScript of the kernel; nothing if it cannot be written.
std::optional<tir::FunctionScript> script_of(const KernelReport& kernel) {
  for (const tir::NamedFunction& one : tir::functions_of(kernel.document->module)) {
    if (one.function.id() != kernel.function) continue;
    return support::value_if_valid(tir::write_function(*kernel.document, one));
  }
  return std::nullopt;
}

/// The lines of the text that the kernel was read from.
KernelText own_text(const Deployment& deployment, const KernelReport& kernel) {
  const std::optional<CodeLines>& place = kernel.tir ? kernel.tir : kernel.c;
  const archive::Member* member = place ? deployment.archive().find(place->file) : nullptr;
  if (member == nullptr) return {};
  const LineTable table(support::get_or_throw(deployment.archive().read(*member)));
  KernelText own{.text = std::string(table.lines_of(*place))};
  const TirSource* source = deployment.find_tir(kernel.source);
  if (source != nullptr && source->name == place->file) {
    own.lines = statement_lines(kernel.document->module.node(kernel.function), table, place->first);
  }
  return own;
}

}  // namespace

LineTable::LineTable(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

std::uint32_t LineTable::line_of(std::uint32_t offset) const {
  const auto next = std::ranges::upper_bound(starts_, offset);
  return static_cast<std::uint32_t>(next - starts_.begin());
}

std::string_view LineTable::lines_of(const CodeLines& lines) const {
  const auto start_of = [&](std::size_t line) {
    if (line == 0) return std::size_t{0};
    return line <= starts_.size() ? std::size_t{starts_[line - 1]} : text_.size();
  };
  const std::size_t begin = start_of(lines.first);
  return text_.substr(begin, start_of(std::size_t{lines.last} + 1) - begin);
}

CLines c_lines(const archive::Archive& archive, const Module& module) {
  CLines found;
  std::set<std::string_view> repeated;
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = deployment::member_text(archive, file);
    const LineTable table(text);
    const auto lines_of = [&](const tir::SourceRange& range) {
      return CodeLines{file.name, table.line_of(range.begin),
                       table.line_of(range.end > 0 ? range.end - 1 : 0)};
    };
    const tir::CFile described = tir::describe_c(text);
    for (const tir::CDefinition& one : described.definitions) {
      found.functions.try_emplace(one.symbol, lines_of(one.range));
    }
    for (const tir::CDefinition& one : described.constants) {
      const auto [known, is_new] = found.constants.try_emplace(one.symbol, lines_of(one.range));
      if (!is_new) repeated.insert(known->first);
    }
  }
  for (const std::string_view name : repeated) found.constants.erase(found.constants.find(name));
  return found;
}

TirSource text_beside(const archive::Archive& archive, const TirSource& twin) {
  TirSource text = twin;
  text.member = twin.twin_of;
  text.twin_of = nullptr;
  text.name = text.member->name;
  text.text = support::get_or_throw(archive.read(*text.member));
  return text;
}

Count copied_constants(const archive::Archive& archive, const Module& module) {
  Count bytes;
  if (misses_files(module)) bytes += Count::unknown();
  for (const FileRef& file : module.files.sources) {
    bytes += copies_in(deployment::member_text(archive, file));
  }
  return bytes;
}

StatementLines statement_lines(Node function, const LineTable& lines, std::uint32_t first) {
  StatementLines found;
  const tir::Module& module = function.module();
  tir::for_each_pre_order(function[f::PrimFunc::body], [&](Node node) {
    if (node.category() != tir::Category::stmt) return;
    const auto range = module.source_range(node.id());
    if (range) found.emplace(node.id(), lines.line_of(range->begin) - first + 1);
  });
  return found;
}

KernelText kernel_text(const Deployment& deployment, const KernelReport& kernel) {
  KernelText text;
  if (auto script = script_of(kernel)) {
    text = {
        .text = std::move(script->text), .is_tvmscript = true, .lines = std::move(script->lines)};
  } else {
    text = own_text(deployment, kernel);
  }
  for (const auto& [node, line] : text.lines) {
    const auto bytes = allocated_bytes(kernel.document->module.node(node));
    if (bytes) text.costs[line].bytes = bytes;
  }
  if (!kernel.cost) return text;
  for (std::size_t i = 0; i < kernel.cost->loops.size(); ++i) {
    // A loop that several paths reach has the cost of the first one.
    const auto line = text.lines.find(kernel.cost->loops[i].node);
    if (line == text.lines.end()) continue;
    LineCost& cost = text.costs[line->second];
    if (!cost.loop) cost.loop = i;
  }
  return text;
}

}  // namespace report

std::string lines_text(const std::optional<CodeLines>& lines) {
  if (!lines) return "-";
  const std::string_view file = std::string_view(lines->file).substr(lines->file.rfind('/') + 1);
  return fmt::format("{}:{}-{}", file, lines->first, lines->last);
}

}  // namespace mlf
