// The formats that the library writes: their versions, how JSON is laid out, where the bytes go.
//
//     const mlf::Sink to_stdout = [](std::string_view bytes) { print(bytes); };
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/export.h"

namespace mlf {

/// Returns the version of the library: "0.1.0".
MLF_API std::string_view version() noexcept;

/// How JSON is laid out.
enum class JsonLayout : std::uint8_t {
  compact,  ///< no white space at all
  pretty,   ///< a line for each value, indented by two blanks
};

struct FileDigest {
  std::string name;
  std::string sha256;  ///< of its bytes, lower-case hex

  friend bool operator==(const FileDigest&, const FileDigest&) = default;
};

/// What was read of an archive.
struct ArchiveOrigin {
  FileDigest archive{};               ///< without directories; no digest if it is no file
  int version = 0;                    ///< of its Model Library Format
  std::vector<FileDigest> members{};  ///< that modules, TIR and networks were read from
  std::vector<FileDigest> files{};    ///< TIR beside the archive
};

/// What a document was made from.
struct DocumentOrigin {
  std::string command{};  ///< of the program; empty: none
  std::vector<ArchiveOrigin> archives{};
};

/// How a document is written: a layout alone if its origin is not known.
struct DocumentForm {
  DocumentForm(JsonLayout its_layout, DocumentOrigin its_origin = {})
      : layout(its_layout), origin(std::move(its_origin)) {}

  JsonLayout layout;
  DocumentOrigin origin;
};

/// Takes output part by part, in order. An exception that it throws ends the writing; a
/// std::exception becomes a diagnostic of kind `internal`.
using Sink = std::function<void(std::string_view bytes)>;

// A version changes when an old reader would misread a new file.

/// src/tir-N.json, `mlf-tir`.
inline constexpr int kTirJsonVersion = 1;

/// src/mlf.json, `mlf-manifest`. Changes with everything that the outputs depend on and the
/// manifest does not list; every archive is then processed again.
inline constexpr int kManifestVersion = 2;

/// build.json of a build without an archive, `mlf-build`. The hook writes it, mlf reads it.
inline constexpr int kBuildVersion = 1;

/// `mlf inspect --json`, `mlf-inspect`.
inline constexpr int kInspectVersion = 1;

/// `mlf inspect --integration --json`, `mlf-integration`.
inline constexpr int kIntegrationVersion = 1;

/// `mlf process --json`, `mlf-process`.
inline constexpr int kProcessVersion = 1;

/// `mlf verify --json`, `mlf-verify`.
inline constexpr int kVerifyVersion = 1;
inline constexpr int kRunVersion = 1;

/// `mlf check --format json`, `mlf-check`.
inline constexpr int kCheckVersion = 1;

/// `mlf diff --format json`, `mlf-diff`.
inline constexpr int kDiffVersion = 1;

/// `mlf report --json`, `mlf-report`.
inline constexpr int kReportVersion = 1;

/// `mlf plan --json`, `mlf-plan`.
inline constexpr int kPlanVersion = 1;

/// `mlf optimize --json`, `mlf-optimize`.
inline constexpr int kOptimizeVersion = 1;

/// `mlf profile --json`, `mlf-profile`.
inline constexpr int kProfileVersion = 1;

/// src/<module>.topology.json, `mlf-topology`.
inline constexpr int kTopologyVersion = 1;

}  // namespace mlf
