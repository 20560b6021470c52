#include "process/render.h"

#include <utility>

#include "process/output_names.h"
#include "support/error.h"

namespace mlf::process {
namespace {

std::optional<ManifestTarget> manifest_target(const Target* target) {
  if (target == nullptr) return std::nullopt;
  return ManifestTarget{target->kind, target->text, target->device_type};
}

ManifestTir describe(const TirSource& source, const tir::Module& module,
                     const ModelLibrary& library) {
  const Ownership owners = owners_of(module, source.stem, library);
  ManifestTir entry{.member = tir_json_name(source.stem),
                    .source = source.name,
                    .stage = source.stage,
                    .modules = {},
                    .target = manifest_target(owners.target)};
  for (const std::size_t i : owners.modules) entry.modules.push_back(library.modules[i].name);
  return entry;
}

/// What the writers of TIR take, made from what the spool gives.
tir::Sink sink_to(support::ByteSink& out) {
  return [&out](std::string_view bytes) { out.write(bytes); };
}

}  // namespace

Rendering render(const TirSource& source, const ModelLibrary& library,
                 const archive::Member& metadata, const ProcessOptions& options, Spool& spool) {
  using support::value_of;
  const tir::Document document = value_of(read_tir(source, library, options.tir_limits));
  const archive::Member* like = source.member != nullptr ? source.member : &metadata;
  const tir::JsonOptions json{.layout = tir::JsonLayout::compact,
                              .constants = options.constants,
                              .npy_threshold = 0,
                              .npy_folder = constants_folder(source.stem),
                              .max_written_nodes = options.tir_limits.max_written_nodes};

  Rendering result{{}, describe(source, document.module, library)};
  std::vector<tir::ConstantFile> constants;
  const Piece text = spool.add([&](support::ByteSink& out) {
    constants = value_of(tir::write_tir_json(document, json, sink_to(out)));
  });
  result.outputs.push_back({result.entry.member, like, text});
  for (const tir::ConstantFile& constant : constants) {
    const Piece data = spool.add([&](support::ByteSink& out) {
      value_of(tir::write_npy(document.module.node(constant.constant), sink_to(out)));
    });
    result.outputs.push_back({beside_tir_json(constant.path), like, data});
  }
  return result;
}

}  // namespace mlf::process
