#include "deployment/constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "deployment/c_sources.h"
#include "mlf/params.h"
#include "support/error.h"
#include "tir/array_uses.h"
#include "tir/json/npy.h"

namespace mlf::deployment {
namespace {

namespace f = tir::f;
using tir::ConstantQuery;
using tir::ConstantSite;
using tir::Kind;

/// Texts name a constant as it is called, or with a number that makes the name unique.
bool is_name_of(std::string_view printed, std::string_view name) {
  std::string legal(name);
  std::ranges::replace(legal, '.', '_');
  if (printed == name || printed == legal) return true;
  if (!printed.starts_with(name) && !printed.starts_with(legal)) return false;
  const std::string_view suffix = printed.substr(name.size());
  return suffix.size() > 1 && suffix.front() == '_' && suffix[1] != '0' &&
         suffix.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

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

/// Whether a text may lack constants at all: it has some. Others cost nothing.
bool has_constants(const TirSource& source) {
  if (source.c || source.text.starts_with('{')) return false;
  constexpr std::string_view kSigns[] = {"allocate_const(", "constant(", "runtime.NDArray"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) {
    return source.text.find(sign) != std::string_view::npos;
  });
}

bool is_save_json(const TirSource& source) {
  return !source.c && tir::detect(source.text) == tir::Dialect::save_json;
}

void add_member(ConstantSources& sources, const archive::Member* member) {
  auto& members = sources.members;
  if (std::ranges::find(members, member) == members.end()) members.push_back(member);
}

void add_params(const archive::Archive& archive, const Module& module, ConstantSources& sources) {
  if (!module.files.parameters) return;
  const archive::Member* const member = archive.find(module.files.parameters->name);
  if (member == nullptr) return;
  sources.params.push_back({.file = archive.path(),
                            .member = member->name,
                            .text = support::get_or_throw(archive.read(*member))});
  add_member(sources, member);
}

ConstantSources sources_of(const archive::Archive& archive, const ModelLibrary& library,
                           const std::vector<TirSource>& captured) {
  ConstantSources sources;
  for (const TirSource& source : captured) {
    if (source.member == nullptr || !is_save_json(source)) continue;
    sources.save_json.push_back({.file = source.path, .member = source.name, .text = source.text});
    add_member(sources, source.member);
  }
  for (const Module& module : library.modules) {
    for (TirSource& generated : generated_c(archive, module, captured)) {
      for (const archive::Member* file : generated.c_members) add_member(sources, file);
      sources.c.push_back(std::move(*generated.c));
    }
    add_params(archive, module, sources);
  }
  return sources;
}

}  // namespace

void add_constant_sources(const archive::Archive& archive, const ModelLibrary& library,
                          std::vector<TirSource>& sources) {
  if (std::ranges::none_of(sources, has_constants)) return;
  ConstantSources all = sources_of(archive, library, sources);
  all.library = std::make_shared<ConstantLibrary>(all);
  for (TirSource& source : sources) {
    if (has_constants(source)) source.constants = all;
  }
}

// --- Reading them ------------------------------------------------------------------------------

/// A source of constants that does not read has none: it is not what was asked for.
void ConstantLibrary::load(const tir::ReadLimits& limits) {
  const auto keep = [&](Result<tir::Document> document) {
    if (document) documents_.push_back(std::move(*document));
  };
  for (const tir::Input& input : sources_.save_json) keep(tir::read(input, limits));
  for (const tir::CSources& c : sources_.c) keep(tir::read_c(c, limits));
  for (const tir::Document& document : documents_) add_module(document);
  for (const tir::Input& file : sources_.params) add_params(file);
}

void ConstantLibrary::add_module(const tir::Document& document) {
  FunctionNames& names = functions_.emplace_back();
  const tir::NodeMap functions = document.module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    names.emplace(functions.key(i).text(f::GlobalVar::name_hint));
  }
  for (tir::ArrayUse& use : tir::array_uses(document.module.root())) {
    if (!use.array.is(Kind::NDArray)) continue;
    const auto data = use.array.bytes(f::NDArray::data);
    if (!data) continue;
    const auto shape = use.array.integers(f::NDArray::shape);
    candidates_.push_back({.site = use.site,
                           .module = &names,
                           .function = std::move(use.function),
                           .name = std::move(use.name),
                           .pool_offset = use.pool_offset,
                           .constant = {.dtype = use.array.dtype(std::uint8_t{f::NDArray::dtype}),
                                        .shape = {shape.begin(), shape.end()},
                                        .data = *data,
                                        .source = document.source.member,
                                        .is_flat = document.source.dialect == tir::Dialect::c}});
  }
}

void ConstantLibrary::add_params(const tir::Input& file) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(file.text.data());
  const auto params = read_params({bytes, file.text.size()}, file.member);
  if (!params) return;
  for (const Param& param : *params) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (!dtype) continue;
    candidates_.push_back({.site = ConstantSite::statement,
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
  // What has no name of its own in the archive is that of its module only.
  if (candidate.module == nullptr || !candidate.module->contains(query.function)) return false;
  // The memory planner calls the pointer to a constant after it.
  if (query.site == ConstantSite::pool && is_statement) {
    return query.name == candidate.name + "_let";
  }
  const bool is_of_function =
      query.site != ConstantSite::function_attribute || candidate.function == query.function;
  return candidate.site == query.site && candidate.name == query.name && is_of_function &&
         candidate.pool_offset == query.pool_offset;
}

bool ConstantLibrary::fits(const Candidate& candidate, const ConstantQuery& query) {
  const tir::FoundConstant& constant = candidate.constant;
  if (!has_place(candidate, query)) return false;
  if (query.dtype && *query.dtype != constant.dtype) return false;
  if (!query.shape) return true;
  return constant.data.size() == tir::json::byte_size(constant.dtype, *query.shape) &&
         begins_with(constant.data, query);
}

/// Of statements, those of the function that is asked for if there are any.
std::vector<tir::FoundConstant> ConstantLibrary::all(const ConstantQuery& query) const {
  std::vector<const Candidate*> found;
  for (const Candidate& candidate : candidates_) {
    if (fits(candidate, query)) found.push_back(&candidate);
  }
  const auto is_here = [&](const Candidate* one) {
    return query.site == ConstantSite::statement && one->function == query.function;
  };
  const bool prefers = std::ranges::any_of(found, is_here);
  std::vector<tir::FoundConstant> constants;
  for (const Candidate* one : found) {
    if (!prefers || is_here(one)) constants.push_back(one->constant);
  }
  return constants;
}

std::optional<tir::FoundConstant> ConstantLibrary::find(const ConstantQuery& query,
                                                        const tir::ReadLimits& limits) {
  std::call_once(loaded_, [&] { load(limits); });
  const std::vector<tir::FoundConstant> found = all(query);
  const tir::FoundConstant* const one = tir::agreed(found);
  return one == nullptr ? std::nullopt : std::optional(*one);
}

}  // namespace mlf::deployment
