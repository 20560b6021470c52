#include "tir/tvmscript/metadata.h"

#include <fmt/core.h>

#include "support/error.h"
#include "tir/text/literals.h"

namespace mlf::tir::tvmscript {

/// The section is save_json in a Python string. Its nodes join those of the script: the operators
/// and functions that it mentions are those that calls mean.
VersionRange Metadata::read(const support::SourceText& source, std::size_t offset,
                            std::string_view token, const ReadLimits& limits) {
  const std::string json = text::decode_string(token);
  const support::SourceText section{source.file, source.member, json};
  try {
    section_ = read_metadata(section, 0, json.size(), limits, make_.builder(), losses_);
  } catch (const support::Error& error) {
    // Its own lines are not those of the source: the message names them, the place is the string.
    support::fail_at(
        source, offset,
        fmt::format("in line {}, column {} of the metadata: {}", error.diagnostic().where.line,
                    error.diagnostic().where.column, error.diagnostic().message));
  }
  make_.adopt_ops(section_.ops);
  for (std::uint32_t id = 1; id < make_.builder().size(); ++id) {
    const Node node = make_.builder().node(static_cast<NodeId>(id));
    if (!node.is(Kind::GlobalVar)) continue;
    global_vars_.try_emplace(std::string(node.text(f::GlobalVar::name_hint)), node.id());
  }
  return section_.version;
}

NodeId Metadata::global_var(std::string_view name) {
  const auto found = global_vars_.find(name);
  return found == global_vars_.end() ? make_.global_var(name) : found->second;
}

/// Texts without the section still say which object was meant.
NodeId Metadata::find(std::string_view type_key, std::int64_t index, std::string_view where) {
  if (const auto found = section_.objects.find(type_key); found != section_.objects.end()) {
    const auto position = static_cast<std::size_t>(index);
    if (index >= 0 && position < found->second.size()) return found->second[position];
  }
  const std::string reference = fmt::format("metadata[\"{}\"][{}]", type_key, index);
  return missing_.mention(type_key, index, reference, where);
}

}  // namespace mlf::tir::tvmscript
