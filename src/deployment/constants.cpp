#include "deployment/constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "mlf/model_library.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/array_uses.h"
#include "tir/json/constants.h"

namespace mlf::deployment {
namespace {

namespace f = tir::f;
using tir::ConstantQuery;
using tir::ConstantSite;
using tir::Kind;

/// Relay's names may contain dots, which TVMScript cannot print.
std::string legal_name(std::string_view name) {
  std::string legal(name);
  std::ranges::replace(legal, '.', '_');
  return legal;
}

/// The memory planner names the pointer to a constant after the constant.
constexpr std::string_view kPointer = "_let";

/// Legal names of the constants that a text may print as `printed`: see `is_name_of` and
/// `has_place`.
std::set<std::string> names_of(std::string_view printed) {
  std::set<std::string> names{legal_name(printed)};
  const std::size_t last = printed.find_last_not_of("0123456789");
  if (last != printed.npos && printed[last] == '_') {
    names.insert(legal_name(printed.substr(0, last)));
  }
  if (printed.ends_with(kPointer)) {
    names.insert(legal_name(printed.substr(0, printed.size() - kPointer.size())));
  }
  return names;
}

/// Texts use the name of a constant, or this name with a number that makes it unique.
bool is_name_of(std::string_view printed, std::string_view name) {
  const std::string legal = legal_name(name);
  if (printed == name || printed == legal) return true;
  if (!printed.starts_with(name) && !printed.starts_with(legal)) return false;
  // "constant_1_2": printers count from 1 and write no leading zero.
  const std::string_view suffix = printed.substr(name.size());
  return suffix.size() > 1 && suffix.front() == '_' && suffix[1] != '0' &&
         suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// Whether the numbers of a text equal those of an array at the text's number of digits. Compares
/// printed forms: rounding twice can differ from rounding once.
template <class Float>
bool is_rounded(std::span<const std::byte> shown, std::span<const std::byte> whole,
                unsigned digits) {
  for (std::size_t at = 0; at + sizeof(Float) <= shown.size(); at += sizeof(Float)) {
    Float printed;
    Float value;
    std::memcpy(&printed, shown.data() + at, sizeof(Float));
    std::memcpy(&value, whole.data() + at, sizeof(Float));
    const auto wide = static_cast<double>(value);
    if (fmt::format("{:.{}g}", wide, digits) !=
        fmt::format("{:.{}g}", static_cast<double>(printed), digits)) {
      return false;
    }
  }
  return true;
}

}  // namespace

// --- Reading them ------------------------------------------------------------------------------

void ConstantLibrary::add_module(std::shared_ptr<const tir::Document> document,
                                 std::span<const tir::Input> files) {
  // One file has all constants of pools.
  std::optional<std::string> of_pools;
  FunctionNames& names = functions_.emplace_back();
  // The functions of the module: queries for constants in attributes name a function.
  for (const tir::NamedFunction& one : tir::functions_of(document->module)) names.emplace(one.name);
  for (tir::ArrayUse& use : tir::array_uses(document->module.root())) {
    if (!use.array.is(Kind::NDArray)) continue;
    const auto data = use.array.bytes(f::NDArray::data);
    if (!data) continue;
    if (use.pool_offset && !of_pools) {
      const auto has_it = [&](const tir::Input& file) {
        return file.text.find(' ' + use.name + '[') != file.text.npos;
      };
      const auto file = std::ranges::find_if(files, has_it);
      of_pools = file == files.end() ? document->source.member : file->member;
    }
    const auto shape = use.array.integers(f::NDArray::shape);
    add({.site = use.site,
         .module = &names,
         .function = std::move(use.function),
         .name = std::move(use.name),
         .pool_offset = use.pool_offset,
         .constant = {.dtype = use.array.dtype(std::uint8_t{f::NDArray::dtype}),
                      .shape = {shape.begin(), shape.end()},
                      .data = *data,
                      .source = use.pool_offset ? *of_pools : document->source.member,
                      // C declares its arrays with one dimension.
                      .is_flat = document->source.dialect == tir::Dialect::c}});
  }
  documents_.push_back(std::move(document));
}

void ConstantLibrary::add_params(const tir::Input& file) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(file.text.data());
  const auto params = support::value_if_valid(read_params({bytes, file.text.size()}, file.member));
  if (!params) return;
  for (const Param& param : *params) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (!dtype) continue;
    add({.site = ConstantSite::statement,
         // The archive does not state the owner of a parameter, so the name alone
         // must match.
         .module = nullptr,
         .function = {},
         .name = param.name,
         .pool_offset = {},
         .constant = {.dtype = *dtype,
                      .shape = {param.shape.begin(), param.shape.end()},
                      .data = param.data,
                      .source = file.member}});
  }
}

// --- Finding one -------------------------------------------------------------------------------

bool begins_with(std::span<const std::byte> data, const ConstantQuery& query) {
  if (query.elements.size() > data.size()) return false;
  if (query.digits == 0)
    return std::ranges::equal(query.elements, data.first(query.elements.size()));
  return query.dtype->bits == 64 ? is_rounded<double>(query.elements, data, query.digits)
                                 : is_rounded<float>(query.elements, data, query.digits);
}

bool ConstantLibrary::has_place(const Candidate& candidate, const ConstantQuery& query) {
  const bool is_statement = candidate.site == ConstantSite::statement;
  if (query.site == ConstantSite::statement) {
    return (is_statement || candidate.site == ConstantSite::pool) &&
           is_name_of(query.name, candidate.name);
  }
  // A constant without a unique name in the archive belongs only to its module.
  if (candidate.module == nullptr || !candidate.module->contains(query.function)) return false;
  if (query.site == ConstantSite::pool && is_statement) {
    return query.name == candidate.name + std::string(kPointer);
  }
  // Only queries for attributes of functions depend on the function.
  const bool is_of_function =
      query.site != ConstantSite::function_attribute || candidate.function == query.function;
  return candidate.site == query.site && candidate.name == query.name && is_of_function &&
         candidate.pool_offset == query.pool_offset;
}

bool ConstantLibrary::fits(const Candidate& candidate, const ConstantQuery& query) {
  const tir::FoundConstant& constant = candidate.constant;
  if (!has_place(candidate, query)) return false;
  if (query.dtype && *query.dtype != constant.dtype) return false;
  // If a text shows neither dimensions nor elements, the place alone must match.
  if (!query.shape) return true;
  return constant.data.size() == tir::tir_json::byte_size(constant.dtype, *query.shape) &&
         begins_with(constant.data, query);
}

void ConstantLibrary::add(Candidate candidate) {
  std::string name = legal_name(candidate.name);
  by_name_[name].push_back(candidates_.size());
  by_function_[{candidate.function, std::move(name)}].push_back(candidates_.size());
  candidates_.push_back(std::move(candidate));
}

/// In the order in which they were added. For statements, prefers the constants of the query's
/// function.
std::vector<tir::FoundConstant> ConstantLibrary::all(const ConstantQuery& query) const {
  std::set<std::size_t> fitting;
  const auto take = [&](const std::vector<std::size_t>* named) {
    if (named == nullptr) return;
    for (const std::size_t one : *named) {
      if (fits(candidates_[one], query)) fitting.insert(one);
    }
  };
  const std::set<std::string> names = names_of(query.name);
  if (query.site == ConstantSite::statement) {
    for (const std::string& name : names) {
      take(support::find_value(by_function_, {std::string(query.function), name}));
    }
  }
  if (fitting.empty()) {
    for (const std::string& name : names) take(support::find_value(by_name_, name));
  }
  std::vector<tir::FoundConstant> constants;
  for (const std::size_t one : fitting) constants.push_back(candidates_[one].constant);
  return constants;
}

std::optional<tir::FoundConstant> ConstantLibrary::find(const ConstantQuery& query) const {
  const std::vector<tir::FoundConstant> found = all(query);
  // Constants with equal data count as one: stages of a build repeat their constants.
  const tir::FoundConstant* const one = tir::agreed(found);
  return one == nullptr ? std::nullopt : std::optional(*one);
}

}  // namespace mlf::deployment
