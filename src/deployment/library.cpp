#include "mlf/deployment.h"

#include "deployment/constants.h"

namespace mlf {
namespace {

constexpr std::string_view kMetadata = "metadata.json";

std::vector<FileRef> regular_files(const archive::Archive& archive) {
  std::vector<FileRef> files;
  for (const archive::Member& member : archive.members()) {
    if (member.type == archive::MemberType::file) files.push_back({member.name, member.size});
  }
  return files;
}

}  // namespace

Result<ModelLibrary> read_model_library(const archive::Archive& archive) {
  const archive::Member* metadata = archive.find(kMetadata);
  if (metadata == nullptr) {
    Location where;
    where.file = archive.path();
    return tl::make_unexpected(Diagnostics{
        Diagnostic{ErrorKind::invalid_input,
                   "no metadata.json: this is not a Model Library Format archive", where}});
  }
  return archive.read(*metadata)
      .and_then(
          [&](std::string_view text) { return read_model_library(text, regular_files(archive)); })
      .map_error(
          [&](Diagnostics diagnostics) { return in_file(std::move(diagnostics), archive.path()); });
}

namespace {

Result<tir::Document> read_dialect(const TirSource& source, const tir::ReadLimits& limits) {
  if (source.c) return tir::read_c(*source.c, limits);
  // A source that the caller put together has no library to share.
  const auto constants = source.constants.library
                             ? source.constants.library
                             : std::make_shared<deployment::ConstantLibrary>(source.constants);
  const tir::Input input{
      .file = source.path,
      .member = source.member != nullptr ? source.name : std::string(),
      .text = source.text,
      .stage = source.stage,
      .constants = [&](const tir::ConstantQuery& query) { return constants->find(query, limits); }};
  return tir::read(input, limits);
}

}  // namespace

Result<tir::Document> read_tir(const TirSource& source, const ModelLibrary& library,
                               const tir::ReadLimits& limits) {
  auto document = read_dialect(source, limits);
  if (document) {
    const Target* target = owners_of(document->module, source.stem, library).target;
    if (target != nullptr) document->target = target->text;
  }
  return document;
}

}  // namespace mlf
