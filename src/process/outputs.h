// Makes all output members of one archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "process/job.h"
#include "support/byte_sink.h"
#include "support/file.h"

namespace mlf::process {

/// The place of one output's bytes in the spool.
struct SpooledBytes {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string sha256;
};

/// Keeps any number of outputs in one unnamed temporary file, up to the size limit of an archive.
/// Collects them before the archive changes, so that an error in one of them occurs before the
/// first byte is written.
class Spool {
 public:
  explicit Spool(const archive::Limits& limits)
      : limits_(limits), file_(support::File::anonymous()), sink_(file_) {}

  /// Runs `write` and keeps its output. Throws what `write` throws, and `invalid_input` if a member
  /// `name` of that size, or an archive of all of them, would exceed the limits.
  SpooledBytes add(const std::string& name, const std::function<void(support::ByteSink&)>& write);

  /// Writes a kept output to `out`.
  void copy(const SpooledBytes& bytes, support::ByteSink& out) const;

 private:
  archive::Limits limits_;
  support::File file_;
  support::FileSink sink_;
};

/// An output: its content and `name`, and the member whose time and owner it gets.
struct Output {
  std::string name;
  const archive::Member* like = nullptr;
  SpooledBytes content;
};

struct Outputs {
  Spool spool;
  /// The manifest is the last one. Empty if the archive has neither TIR nor a network.
  std::vector<Output> list;
  std::vector<WrittenTir> tir;
  std::vector<NetworkReport> networks;
};

/// Makes all outputs in a spool. Reads the TIR, and releases it. Throws `Error`.
void make_outputs(Job& job, Outputs& outputs);

}  // namespace mlf::process
