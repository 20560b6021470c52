#include "deployment/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "deployment/c_sources.h"
#include "mlf/params.h"
#include "support/error.h"
#include "tir/json/npy.h"

namespace mlf::deployment {
namespace {

namespace f = tir::f;
using tir::ConstantQuery;
using tir::Kind;
using tir::Node;

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

/// Whether a text may lack constants at all: it allocates some. Others cost nothing.
bool allocates_constants(const TirSource& source) {
  if (source.c || source.text.starts_with('{')) return false;
  return source.text.find("allocate_const(") != std::string_view::npos ||
         source.text.find("constant(") != std::string_view::npos;
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
                            .text = support::value_of(archive.read(*member))});
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
  if (std::ranges::none_of(sources, allocates_constants)) return;
  const ConstantSources all = sources_of(archive, library, sources);
  for (TirSource& source : sources) {
    if (allocates_constants(source)) source.constants = all;
  }
}

// --- Reading them ------------------------------------------------------------------------------

/// A source of constants that does not read has none: it is not what was asked for.
void ConstantLibrary::load() {
  is_loaded_ = true;
  const auto keep = [&](Result<tir::Document> document) {
    if (document) documents_.push_back(std::move(*document));
  };
  for (const tir::Input& input : sources_.save_json) keep(tir::read(input, limits_));
  for (const tir::CSources& c : sources_.c) keep(tir::read_c(c, limits_));
  for (const tir::Document& document : documents_) {
    add_module(document.module, document.source.member);
  }
  for (const tir::Input& file : sources_.params) add_params(file);
}

/// Constants of functions, and those that the memory planner moved into pools.
void ConstantLibrary::add_module(const tir::Module& module, const std::string& source) {
  tir::NodeSet seen(module);
  const tir::NodeMap functions = module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions.value(i).is(Kind::PrimFunc)) continue;
    const std::string_view name = functions.key(i).text(f::GlobalVar::name_hint);
    add_function(name, functions.value(i), source, seen);
  }
  for (std::uint32_t id = 1; id < module.size(); ++id) {
    const Node node = module.node(static_cast<tir::NodeId>(id));
    if (node.is(Kind::ConstantInfo)) {
      add({}, node.text(f::ConstantInfo::name_hint), node[f::ConstantInfo::data], source);
    }
  }
}

void ConstantLibrary::add_function(std::string_view name, Node function, const std::string& source,
                                   tir::NodeSet& seen) {
  std::vector<Node> open{function[f::PrimFunc::body]};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.category() != tir::Category::stmt || !seen.insert(node.id())) continue;
    if (node.is(Kind::AllocateConst)) {
      add(name, node[f::AllocateConst::buffer_var].text(f::Var::name), node[f::AllocateConst::data],
          source);
    }
    tir::for_each_child(node, [&](Node child, const auto&) { open.push_back(child); });
  }
}

void ConstantLibrary::add(std::string_view function, std::string_view name, Node array,
                          const std::string& source) {
  if (!array.is(Kind::NDArray)) return;
  const auto data = array.bytes(f::NDArray::data);
  if (!data) return;
  candidates_.push_back({std::string(function), std::string(name),
                         array.dtype(std::uint8_t{f::NDArray::dtype}), *data, source});
}

void ConstantLibrary::add_params(const tir::Input& file) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(file.text.data());
  const auto params = read_params({bytes, file.text.size()}, file.member);
  if (!params) return;
  for (const Param& param : *params) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (dtype) candidates_.push_back({{}, param.name, *dtype, param.data, file.member});
  }
}

// --- Finding one -------------------------------------------------------------------------------

bool begins_with(std::span<const std::byte> data, const ConstantQuery& query) {
  if (query.elements.size() > data.size()) return false;
  if (query.digits == 0)
    return std::ranges::equal(query.elements, data.first(query.elements.size()));
  return query.dtype.bits == 64 ? is_rounded<double>(query.elements, data, query.digits)
                                : is_rounded<float>(query.elements, data, query.digits);
}

bool ConstantLibrary::fits(const Candidate& candidate, const ConstantQuery& query) {
  return candidate.dtype == query.dtype &&
         candidate.data.size() == tir::json::byte_size(query.dtype, query.shape) &&
         is_name_of(query.name, candidate.name) && begins_with(candidate.data, query);
}

std::optional<tir::FoundConstant> ConstantLibrary::find(const ConstantQuery& query) {
  if (!is_loaded_) load();
  std::vector<const Candidate*> found;
  for (const Candidate& candidate : candidates_) {
    if (fits(candidate, query)) found.push_back(&candidate);
  }
  const auto is_here = [&](const Candidate* one) { return one->function == query.function; };
  if (std::ranges::any_of(found, is_here)) {
    std::erase_if(found, [&](const Candidate* one) { return !is_here(one); });
  }
  if (found.empty()) return std::nullopt;
  const Candidate& first = *found.front();
  const bool are_one = std::ranges::all_of(
      found, [&](const Candidate* other) { return std::ranges::equal(other->data, first.data); });
  if (!are_one) return std::nullopt;
  return tir::FoundConstant{first.data, first.source};
}

}  // namespace mlf::deployment
