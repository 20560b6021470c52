#include "replan/edited_archive.h"

#include "support/error.h"
#include "support/file.h"

namespace mlf::replan {

archive::Archive edited_archive(const archive::Archive& archive, const archive::Changes& changes,
                                const archive::Limits& limits) {
  // Through a file in memory: what is read is then what would be written, byte for byte.
  const support::File file = support::File::anonymous();
  archive::write_to(archive, changes, file);
  const support::MappedFile mapped(file);
  return support::get_or_throw(
      archive::Archive::from_bytes(mapped.bytes(), archive.path(), limits));
}

}  // namespace mlf::replan
