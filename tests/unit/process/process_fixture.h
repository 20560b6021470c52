// Small archives to process, and what processing left in them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mlf/process.h"
#include "unit/archive/archive_fixture.h"

namespace mlf::test {

/// A module of one function that returns `value`, as TVM v0.9 prints it.
std::string legacy_text(int value);

/// A main with the input `x` that calls one kernel with these arguments, and the kernel.
std::string network_of(const std::string& arguments);
/// One without faults.
std::string sound_network();

class ProcessTest : public ArchiveTest {
 protected:
  using Members = std::vector<std::pair<std::string, std::string>>;

  /// Writes an archive with metadata and these members below it, and returns its path.
  std::string make(const Members& members, std::string_view name = "module.tar") const;

  /// The same with other metadata.
  std::string make_with(std::string_view metadata, const Members& members,
                        std::string_view name = "module.tar") const;

  /// Processes an archive that must be acceptable.
  static ProcessReport process(const std::string& path, const ProcessOptions& options = {});
  /// The one error of an archive that must not be.
  static Diagnostic refused(const std::string& path, const ProcessOptions& options = {});

  static std::vector<std::string> members(const std::string& path);
  static std::string content(const std::string& path, std::string_view member);
};

}  // namespace mlf::test
